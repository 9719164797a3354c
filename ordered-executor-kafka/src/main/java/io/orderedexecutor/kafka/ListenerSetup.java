package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.RecordRunner.Delays;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the consumers of one listener share. Immutable.
 *
 * @param name how messages and meters call the listener
 * @param deadLetters null if there is nowhere to publish them
 * @param publisher where they are published: it may block, which a worker must not
 * @param events what they throw decides nothing, see {@link ContainedEvents}
 * @param onFailure stops the container, once; told of the record that the executor refused, or null, and why
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

    /** What the failure policy says. */
    RecordFailures failures() {
        return new RecordFailures(settings.failurePolicy());
    }

    /** Nothing can go on: no record starts from now on, and the container stops. Any thread. */
    void refused(ConsumerRecord<?, ?> record, Throwable refusal) {
        onFailure.accept(record, refusal);
    }

    /** The same, for what should never throw. Any thread. */
    void failed(Throwable failure) {
        onFailure.accept(null, failure);
    }
}
