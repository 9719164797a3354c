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
 * @param onRefusal told of a record that the executor refused
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
        BiConsumer<ConsumerRecord<?, ?>, RuntimeException> onRefusal) {

    DeadLetters requireDeadLetters() {
        if (deadLetters == null) {
            throw new IllegalStateException("There is nowhere to publish dead letters. " + DeadLetters.HOW_TO_DEFINE);
        }
        return deadLetters;
    }

    void refused(ConsumerRecord<?, ?> record, RuntimeException refusal) {
        onRefusal.accept(record, refusal);
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
