package io.orderedexecutor.engine.admit;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputBuilder;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An output of digits whose pieces are run by the actors of a test: each is a step, in the order of submission. */
final class HandRunOutput {
    private final List<Runnable> steps = new CopyOnWriteArrayList<>();
    private final OrderedOutputExecutor executor =
            OrderedOutputExecutor.builder().executor(steps::add).build();

    /** Written by one output after the other. */
    private int written;

    /** Of the piece that one submitter has submitted last. */
    @Nullable
    CompletableFuture<Integer> last;

    final OrderedOutput<Integer> output;

    HandRunOutput() {
        this(builder -> builder);
    }

    HandRunOutput(UnaryOperator<OrderedOutputBuilder<Integer>> settings) {
        output = settings.apply(executor.outputTo(digit -> written = 10 * written + digit))
                .open();
    }

    /** Submits a piece that gives a digit; its future is {@link #last}. */
    void submit(int digit) {
        last = output.submit(() -> digit);
    }

    void run(int step) {
        steps.get(step).run();
    }

    long busyOutputs() {
        return executor.inspect().stats().keys();
    }

    /** How many pieces have ended, in whichever way. */
    int ends() {
        OrderedExecutorStats stats = executor.inspect().stats();
        return (int) (stats.completed() + stats.failed() + stats.cancelled());
    }

    /** Runs all steps, also those that come meanwhile, and gives the digits that were written. */
    int rest() {
        for (int step = 0; step < steps.size(); step++) {
            run(step);
        }
        return written;
    }
}
