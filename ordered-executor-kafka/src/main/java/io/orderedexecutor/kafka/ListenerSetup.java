package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.RecordRunner.Delays;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the consumers of one listener share. Immutable.
 *
 * @param name the name of the listener in messages and meters
 * @param deadLetters publishes dead letters; null if there is nowhere to publish them
 * @param publisher the thread for dead letters: a publication may block, but must not block a worker
 * @param events receives the events; its exceptions are caught, see {@link ContainedEvents}
 * @param onFailure stops the container, once; called with the failure, and with the record that the executor has
 *     refused, or null
 */
record ListenerSetup(
        String name,
        @Nullable String groupId,
        OrderedListenerSettings settings,
        StripedExecutor executor,
        RecordKey key,
        @Nullable DeadLetters deadLetters,
        Executor publisher,
        ListenerEvents events,
        Delays delays,
        BiConsumer<@Nullable ConsumerRecord<?, ?>, Throwable> onFailure) {

    ListenerSetup {
        events = ContainedEvents.around(events);
    }

    DeadLetters requireDeadLetters() {
        if (deadLetters == null) {
            throw new IllegalStateException("There is nowhere to publish dead letters. " + DeadLetters.HOW_TO_DEFINE);
        }
        return deadLetters;
    }

    /** Returns the decisions of the failure policy. */
    RecordFailures failures() {
        return new RecordFailures(settings.failurePolicy());
    }

    /**
     * Stops the container, since the executor has refused a record: no record starts from now on. Called by any thread.
     */
    void refused(ConsumerRecord<?, ?> record, Throwable refusal) {
        onFailure.accept(record, refusal);
    }

    /** Stops the container after a failure of code that should never throw. Called by any thread. */
    void failed(Throwable failure) {
        onFailure.accept(null, failure);
    }
}
