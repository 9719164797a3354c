package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExplanationDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OrderedOutputExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OutputDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.stats.OutputSnapshot;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An ordered output executor, seen from outside. Its keys are the names of its outputs. */
final class ManagedOrderedOutputExecutor extends ManagedExecutor {
    private final OrderedOutputExecutor executor;

    ManagedOrderedOutputExecutor(String name, OrderedOutputExecutor executor) {
        super(name, executor);
        this.executor = executor;
    }

    @Override
    String type() {
        return "ordered-output";
    }

    @Override
    String key() {
        return "output";
    }

    /**
     * Returns the age of the oldest open piece. Unlike tasks, pieces are timed even if the executor has no listener.
     */
    @Override
    @Nullable
    Duration oldestAge(List<RunningTask> running) {
        return outputs().map(OutputSnapshot::oldestAge).findFirst().orElse(null);
    }

    @Override
    boolean knowsAges() {
        return true;
    }

    @Override
    Double windowUsed() {
        return outputs()
                .mapToDouble(output -> (double) output.open() / output.window())
                .max()
                .orElse(0);
    }

    private Stream<OutputSnapshot> outputs() {
        return executor.oldestOutputs(Integer.MAX_VALUE).stream();
    }

    // what is shown

    @Override
    OrderedOutputExecutorDescriptor describe(List<String> methods, int limit, Shown shown) {
        return new OrderedOutputExecutorDescriptor(
                name(),
                type(),
                state(),
                describeSettings(),
                stats(),
                rejections(),
                oldestQueuedAge(),
                executor.oldestOutputs(limit).stream()
                        .map(output -> describe(output, null, null, shown))
                        .toList(),
                running(output -> true, limit, shown));
    }

    private static OutputDescriptor describe(
            OutputSnapshot output,
            @Nullable List<RunningTaskDescriptor> running,
            @Nullable ExplanationDescriptor explanation,
            Shown shown) {
        return new OutputDescriptor(
                shown.output(output.output()),
                output.window(),
                output.open(),
                output.done(),
                output.oldestAge().truncatedTo(ChronoUnit.MILLIS),
                running,
                explanation);
    }

    @Override
    @Nullable
    OutputDescriptor describeKey(Object key, int limit, Shown shown) {
        Predicate<@Nullable Object> isIt =
                of -> of instanceof OrderedOutput<?> output && output.name().equals(key);
        return outputs()
                .filter(output -> output.output().equals(key))
                .map(output -> describe(output, running(isIt, limit, shown), explain(isIt, shown), shown))
                .findFirst()
                .orElse(null);
    }

    /** Explains an output. The output is found through one of its pieces that is worked on. */
    private @Nullable ExplanationDescriptor explain(Predicate<@Nullable Object> isIt, Shown shown) {
        return oldestTasks(isIt)
                .findFirst()
                .map(RunningTask::key)
                .map(output -> ShownExplanation.of(inspect(shown).explain(output), shown))
                .orElse(null);
    }

    @Override
    boolean hasKey(Object key) {
        return outputs().anyMatch(output -> output.output().equals(key));
    }

    @Override
    Stream<Object> liveKeys() {
        return outputs().map(OutputSnapshot::output);
    }
}
