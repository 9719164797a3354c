package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/** Containers for one test, stopped at its end. */
final class Containers implements AutoCloseable {
    static final OrderedListenerSettings QUICK = with(1000, 3, Duration.ofSeconds(10));

    private final List<OrderedMessageListenerContainer<String, String>> containers = new ArrayList<>();
    private final List<StripedExecutor> executors = new ArrayList<>();

    StripedExecutor executor(int threads) {
        StripedExecutor executor =
                StripedExecutor.builder().name("records").threads(threads).build();
        executors.add(executor);
        return executor;
    }

    OrderedMessageListenerContainer<String, String> container(
            String group,
            String topic,
            StripedExecutor executor,
            Map<String, Object> consumer,
            MessageListener<String, String> listener) {
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(group);
        return container(group, properties, executor, consumer, listener);
    }

    OrderedMessageListenerContainer<String, String> container(
            String group,
            ContainerProperties properties,
            StripedExecutor executor,
            Map<String, Object> consumer,
            MessageListener<String, String> listener) {
        OrderedMessageListenerContainer<String, String> container =
                new OrderedMessageListenerContainer<>(Broker.consumers(group, consumer), properties, executor);
        container.setBeanName(group);
        container.setSettings(QUICK);
        container.setupMessageListener(listener);
        containers.add(container);
        return container;
    }

    /** Park after the last attempt. */
    static OrderedListenerSettings with(int window, int attempts, Duration drain) {
        return OrderedListenerSettings.defaults()
                .withWindow(window)
                .withCommitInterval(Duration.ofMillis(100))
                .withDrainTimeout(drain)
                .withFailurePolicy(retries(attempts).thenPark());
    }

    static OrderedListenerSettings deadLetters(int window, int attempts, Duration drain) {
        return with(window, attempts, drain)
                .withFailurePolicy(retries(attempts).thenProceed())
                .withDeadLetters(true);
    }

    /**
     * What an operator is shown of the oldest record: its state, and the one that it has in the list of parked records
     * if it is there.
     */
    static String statesOf(Assignment<?, ?> assignment) {
        PartitionSnapshot shown = PartitionSnapshot.of(assignment);
        PartitionSnapshot.RecordSnapshot oldest = shown.oldest();
        assertThat(oldest).isNotNull();
        long offset = oldest.offset();
        String state = oldest.state();
        return shown.parked().stream()
                .filter(each -> each.offset() == offset)
                .findFirst()
                .map(each -> state + ", listed as " + each.state())
                .orElse(state);
    }

    static FailurePolicy.RetryBuilder retries(int attempts) {
        return FailurePolicy.retry()
                .maxRetries(attempts - 1)
                .delay(Duration.ofMillis(10))
                .multiplier(2)
                .maxDelay(Duration.ofMillis(100));
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("not within 30 s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        containers.forEach(OrderedMessageListenerContainer::stop);
        executors.forEach(StripedExecutor::shutdownNow);
    }
}
