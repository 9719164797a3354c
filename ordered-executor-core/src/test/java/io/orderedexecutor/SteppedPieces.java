package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * One output whose threads are steps of the test, and whose pieces are asynchronous: the test says when each is
 * finished, and has to make a step for whatever is done by a thread of the executor.
 */
final class SteppedPieces {
    final SteppedExecutor steps = new SteppedExecutor();
    final HeardTasks heard = new HeardTasks();
    final Written<Object> written = new Written<>();
    final OrderedOutputExecutor executor;
    final OrderedOutput<Object> output;

    /** What pieces wait for, by their numbers. */
    final List<CompletableFuture<Object>> stages = new ArrayList<>();

    final List<CompletableFuture<Object>> futures = new ArrayList<>();

    /** The numbers of the pieces whose work was started, in that order. */
    final List<Integer> started = new ArrayList<>();

    SteppedPieces() {
        this(executor -> executor, output -> output);
    }

    SteppedPieces(
            UnaryOperator<OrderedOutputExecutorBuilder> ofExecutor,
            UnaryOperator<OrderedOutputBuilder<Object>> ofOutput) {
        this.executor = ofExecutor
                .apply(OrderedOutputExecutor.builder()
                        .name("encoder")
                        .executor(steps)
                        // the thread that steps cannot wait for room
                        .overflow(Overflow.reject())
                        .listener(heard))
                .build();
        this.output = ofOutput.apply(executor.<Object>outputTo(written).name("frames"))
                .open();
    }

    /**
     * Submits a piece whose work is finished when the test completes its stage; it gives its own number, unless the
     * test says something else.
     */
    CompletableFuture<Object> submit() {
        int number = stages.size();
        CompletableFuture<Object> stage = new CompletableFuture<>();
        CompletableFuture<Object> future = output.submitAsync(() -> {
            started.add(number);
            return stage;
        });
        stages.add(stage);
        futures.add(future);
        return future;
    }

    /** Submits so many, and lets their work begin. */
    void begin(int pieces) {
        for (int i = 0; i < pieces; i++) {
            submit();
        }
        steps.runAll();
    }

    /** Lets the work of these be finished, and then whatever can be done. */
    void finish(int... numbers) {
        for (int number : numbers) {
            stages.get(number).complete(number);
        }
        steps.runAll();
    }

    /**
     * Asserts that these pieces were written and no others, in this order, and that of every piece one end was heard.
     */
    void assertWrittenAndEnded(Object... results) {
        assertThat(written.all()).containsExactly(results);
        assertThat(futures).allMatch(CompletableFuture::isDone);
        heard.assertOneEndEach("");
        assertThat(executor.stats().queued() + executor.stats().active()).isZero();
        assertThat(output.snapshot().open()).isZero();
    }
}
