package io.orderedexecutor.spring.annotation;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what is wrong with an {@code @OrderedAsync} declaration instead of a stack trace. */
final class InvalidOrderedAsyncFailureAnalyzer extends AbstractFailureAnalyzer<InvalidOrderedAsyncException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidOrderedAsyncException cause) {
        return new FailureAnalysis(cause.problem() + ".", cause.fix(), cause);
    }
}
