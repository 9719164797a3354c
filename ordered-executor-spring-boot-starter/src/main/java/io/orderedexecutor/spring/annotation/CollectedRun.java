package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One run of a method for several calls, in the context of the first call. The observations of the other calls are
 * notified of the start and the end of this run.
 */
final class CollectedRun {
    private final Collecting collecting;
    private final List<CollectedCall> calls;
    private final List<@Nullable Object> elements = new ArrayList<>();

    /** Completes before the futures of the callers do. */
    private final CompletableFuture<@Nullable Object> end = new CompletableFuture<>();

    CollectedRun(Collecting collecting, List<CollectedCall> calls) {
        this.collecting = collecting;
        this.calls = calls;
        calls.forEach(call -> elements.addAll(call.part()));
    }

    /** Runs the method. */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    CompletionStage<?> start() {
        Invocation first = calls.get(0).call();
        for (CollectedCall other : calls.subList(1, calls.size())) {
            other.call().watch(end);
        }
        cancelWithAll(first);
        CompletionStage<@Nullable Object> stage;
        try {
            stage = first.runWith(collecting.listAt(), Collections.unmodifiableList(elements));
        } catch (Throwable failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        stage.whenComplete((result, failure) -> {
            Throwable wrong = failure == null && collecting.returnsParts() ? deal(result) : failure;
            if (wrong == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(wrong);
            }
        });
        return end;
    }

    /** Makes sure that the stage of the method is cancelled once all callers have cancelled their futures. */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    private void cancelWithAll(Invocation first) {
        AtomicInteger wanted = new AtomicInteger(calls.size());
        for (CollectedCall call : calls) {
            call.future().whenComplete((result, failure) -> {
                if (call.future().isCancelled() && wanted.decrementAndGet() == 0) {
                    first.cancelStage();
                }
            });
        }
    }

    /** Gives each caller its part of the results. Returns the failure if the results are wrong; otherwise null. */
    private @Nullable Throwable deal(@Nullable Object result) {
        if (!(result instanceof List<?> results) || results.size() != elements.size()) {
            String returned = result instanceof List<?> list ? list.size() + " results" : "null";
            return new IllegalStateException(describe(collecting.method()) + " returned " + returned + " for "
                    + elements.size() + " elements; return a list with one result for each, in their order");
        }
        int from = 0;
        for (CollectedCall call : calls) {
            int to = from + call.part().size();
            call.setResult(Collections.unmodifiableList(new ArrayList<>(results.subList(from, to))));
            from = to;
        }
        return null;
    }
}
