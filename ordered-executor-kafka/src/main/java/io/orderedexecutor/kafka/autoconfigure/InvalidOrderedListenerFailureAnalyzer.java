package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what is wrong with an ordered listener instead of a stack trace. */
final class InvalidOrderedListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidOrderedListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidOrderedListenerException cause) {
        return new FailureAnalysis(cause.problem() + ".", cause.fix(), cause);
    }
}
