package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.RecordRunner.Pauses;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ExceptionClassifier;

/**
 * What the consumers of one listener share. Immutable.
 *
 * @param name how messages and meters call the listener
 * @param deadLetters null if there is nowhere to publish them
 * @param events told after the state has changed; what they throw decides nothing, see {@link ContainedEvents}
 * @param onFailure stops the container, once; told of the record that the executor refused, or null, and why
 */
record ListenerSetup(
        String name,
        @Nullable String groupId,
        OrderedListenerSettings settings,
        StripedExecutor executor,
        RecordStripe stripe,
        @Nullable DeadLetters deadLetters,
        ListenerEvents events,
        Pauses pauses,
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

    /** Nothing can go on: no record starts from now on, and the container stops. Any thread. */
    void refused(ConsumerRecord<?, ?> record, Throwable refusal) {
        onFailure.accept(record, refusal);
    }

    /** The same, for what should never throw. Any thread. */
    void failed(Throwable failure) {
        onFailure.accept(null, failure);
    }

    /** Spring's fatal exceptions and the excluded ones are not, wherever they are in the chain of causes. */
    boolean isRetryable(Throwable failure) {
        int depth = 0;
        for (Throwable cause = failure; cause != null && depth < 100; cause = cause.getCause(), depth++) {
            Throwable each = cause;
            if (ExceptionClassifier.defaultFatalExceptionsList().stream().anyMatch(type -> type.isInstance(each))
                    || settings.excludes().stream().anyMatch(type -> type.isInstance(each))) {
                return false;
            }
        }
        return true;
    }
}
