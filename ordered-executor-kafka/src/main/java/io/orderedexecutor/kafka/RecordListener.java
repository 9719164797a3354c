package io.orderedexecutor.kafka;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.RecordMessagingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaUtils;

/**
 * Calls the listener of the endpoint, with all that Spring does around a call: observation, interceptor, group id. Used
 * by several workers at the same time.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class RecordListener<K, V> {
    private static final SafeLog logger = SafeLog.of(RecordListener.class);

    /** An acknowledgment that acknowledges nothing. It tells adapters that a listener may return a future. */
    private static final Acknowledgment NO_ACKNOWLEDGMENT = new Acknowledgment() {
        @Override
        public void acknowledge() {}

        @Override
        public boolean isOutOfOrderCommit() {
            return true;
        }
    };

    private final MessageListener<K, V> listener;
    private final CallRegistry registry;
    private final Supplier<@Nullable RecordInterceptor<K, V>> interceptor;
    private final ObservationFactory observations;
    private final @Nullable String groupId;

    /** Creates the observation of one call. */
    @FunctionalInterface
    interface ObservationFactory {
        Observation observation(ConsumerRecord<?, ?> record, String clientId, ObservationRegistry registry);
    }

    RecordListener(
            MessageListener<K, V> listener,
            ObservationRegistry observationRegistry,
            ObservationFactory observations,
            Supplier<@Nullable RecordInterceptor<K, V>> interceptor,
            @Nullable String groupId) {
        this.listener = listener;
        this.registry = new CallRegistry(observationRegistry);
        this.observations = observations;
        this.interceptor = interceptor;
        this.groupId = groupId;
        connect(listener);
    }

    /**
     * Connects the registry to the adapter at the end of the chain of delegates, if there is one, so that the adapter
     * reports the end of calls.
     */
    private void connect(MessageListener<K, V> outermost) {
        Object each = outermost;
        while (each instanceof DelegatingMessageListener<?> delegating) {
            if (each instanceof FilteringMessageListenerAdapter<?, ?> filter) {
                filter.setObservationRegistry(registry);
            }
            each = delegating.getDelegate();
        }
        if (each instanceof RecordMessagingMessageListenerAdapter<?, ?> adapter) {
            adapter.setObservationRegistry(registry);
            adapter.setCallbackForAsyncFailure((record, failure) -> {
                ListenerCall call = registry.currentCall();
                if (call != null) {
                    call.failedLater(failure);
                }
            });
        }
    }

    /**
     * Calls the listener once.
     *
     * @param clientId the client id of the consumer
     * @param consumer a consumer that can be used on this thread
     * @param end called once, with the failure or null, on the thread that ends the call: this thread, or the one that
     *     completes the future of the listener
     */
    void call(
            ConsumerRecord<K, V> record,
            String clientId,
            org.apache.kafka.clients.consumer.Consumer<K, V> consumer,
            Consumer<@Nullable Throwable> end) {
        RecordInterceptor<K, V> around = interceptor.get();
        Observation observation = started(record, clientId);
        ListenerCall call = new ListenerCall(
                observation,
                around == null && !isObserved()
                        ? end
                        : failure -> {
                            if (around != null) {
                                tellInterceptor(around, record, failure, consumer);
                            }
                            stop(observation, failure);
                            end.accept(failure);
                        });
        Observation.Scope scope = isObserved() ? registry.openScope(observation) : Observation.Scope.NOOP;
        ListenerCall before = registry.enter(call);
        try {
            KafkaUtils.setConsumerGroupId(groupId);
            callThrough(around, record, consumer, call);
        } finally {
            KafkaUtils.clearConsumerGroupId();
            registry.leave(before);
            registry.closeScope(scope);
        }
    }

    /**
     * Returns whether calls are observed. Most listeners are not observed, and nothing is created for their records.
     */
    private boolean isObserved() {
        return !registry.real().isNoop();
    }

    private Observation started(ConsumerRecord<K, V> record, String clientId) {
        if (!isObserved()) {
            return Observation.NOOP;
        }
        try {
            Observation observation = observations.observation(record, clientId, registry.real());
            registry.tell(observation::start);
            return observation;
        } catch (Throwable e) {
            registry.handlerFailed(e);
            return Observation.NOOP;
        }
    }

    private void callThrough(
            @Nullable RecordInterceptor<K, V> around,
            ConsumerRecord<K, V> record,
            org.apache.kafka.clients.consumer.Consumer<K, V> consumer,
            ListenerCall call) {
        try {
            if (around == null) {
                callListener(record, consumer);
            } else {
                around.setupThreadState(consumer);
                try {
                    ConsumerRecord<K, V> intercepted = around.intercept(record, consumer);
                    if (intercepted != null) {
                        callListener(intercepted, consumer);
                    }
                } finally {
                    clearThreadState(around, record, consumer);
                }
            }
        } catch (Throwable thrown) {
            call.thrown(thrown);
            return;
        }
        call.returned();
    }

    /**
     * Clears the state of the thread, and logs an exception of the interceptor. Such an exception is not a failure of
     * the call: an asynchronous call may still go on, and must not be retried.
     */
    private static <K, V> void clearThreadState(
            RecordInterceptor<K, V> around,
            ConsumerRecord<K, V> record,
            org.apache.kafka.clients.consumer.Consumer<K, V> consumer) {
        try {
            around.clearThreadState(consumer);
        } catch (Throwable e) {
            logger.error(
                    e,
                    () -> "A RecordInterceptor failed to clear the state of its thread after the record "
                            + SafeLog.format(record));
        }
    }

    private void callListener(ConsumerRecord<K, V> record, org.apache.kafka.clients.consumer.Consumer<K, V> consumer) {
        if (listener instanceof AcknowledgingConsumerAwareMessageListener<K, V> aware) {
            aware.onMessage(record, NO_ACKNOWLEDGMENT, consumer);
        } else {
            callPlain(record, consumer);
        }
    }

    private void callPlain(ConsumerRecord<K, V> record, org.apache.kafka.clients.consumer.Consumer<K, V> consumer) {
        switch (org.springframework.kafka.listener.ListenerUtils.determineListenerType(listener)) {
            case ACKNOWLEDGING -> listener.onMessage(record, NO_ACKNOWLEDGMENT);
            case CONSUMER_AWARE -> listener.onMessage(record, consumer);
            default -> listener.onMessage(record);
        }
    }

    private static <K, V> void tellInterceptor(
            RecordInterceptor<K, V> around,
            ConsumerRecord<K, V> record,
            @Nullable Throwable failure,
            org.apache.kafka.clients.consumer.Consumer<K, V> consumer) {
        tell(record, () -> {
            if (failure == null) {
                around.success(record, consumer);
            } else {
                around.failure(record, asException(failure), consumer);
            }
        });
        tell(record, () -> around.afterRecord(record, consumer));
    }

    /**
     * Calls a method of the interceptor, and logs its exception: this is not a failure of the record, and the next
     * method is called in any case.
     */
    private static void tell(ConsumerRecord<?, ?> record, Runnable interceptor) {
        try {
            interceptor.run();
        } catch (Throwable e) {
            logger.error(e, () -> "A RecordInterceptor failed after the record " + SafeLog.format(record));
        }
    }

    /** Returns the failure as an {@link Exception}, which Spring's callbacks take. */
    static Exception asException(Throwable failure) {
        return failure instanceof Exception exception ? exception : new IllegalStateException(failure);
    }

    private void stop(Observation observation, @Nullable Throwable failure) {
        if (failure != null) {
            registry.tell(() -> {
                Throwable cause = RecordFailures.causeOf(failure);
                Throwable error = cause == null ? failure : cause;
                // the adapter may have reported it already
                if (observation.getContext().getError() != error) {
                    observation.error(error);
                }
            });
        }
        registry.tell(observation::stop);
    }
}
