package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.ExplanationDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.OneOutputDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.OrderedOutputExecutorDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.OutputDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import io.orderedexecutor.stats.OutputSnapshot;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An ordered output executor, seen from outside. Its keys are the names of its outputs. */
final class ManagedOrderedOutputExecutor extends ManagedExecutor {
    private static final String KEY = "output";

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
        return KEY;
    }

    @Override
    ToDoubleFunction<OrderedExecutorStats> keysIn() {
        return stats -> ((OrderedOutputExecutorStats) stats).outputs();
    }

    /** What fails is left out, or stops its output for good. */
    @Override
    boolean canPark() {
        return false;
    }

    @Override
    int parked() {
        return 0;
    }

    /** Its tasks are not timed, but its pieces always are. */
    @Override
    @Nullable
    Duration oldestAge() {
        return outputs().map(OutputSnapshot::ageOfHead).findFirst().orElse(null);
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
    OrderedOutputExecutorDescriptor describe(int limit, Shown shown) {
        List<OutputDescriptor> oldest = executor.oldestOutputs(limit).stream()
                .map(output -> describe(output, shown))
                .toList();
        List<RunningTaskDescriptor> running = oldestTasks()
                .limit(limit)
                .map(task -> shown.runningTask(task, KEY))
                .toList();
        return new OrderedOutputExecutorDescriptor(
                name(),
                type(),
                state(),
                describeSettings(),
                executor.stats(),
                rejections(),
                oldestQueuedAge(),
                oldest,
                running);
    }

    private static OutputDescriptor describe(OutputSnapshot output, Shown shown) {
        return new OutputDescriptor(
                shown.key(KEY, output.output()),
                output.window(),
                output.open(),
                output.done(),
                output.ageOfHead().truncatedTo(ChronoUnit.MILLIS));
    }

    @Override
    @Nullable
    OneOutputDescriptor describeKey(Object key, int limit, Shown shown) {
        return outputs()
                .filter(output -> output.output().equals(key))
                .map(output -> new OneOutputDescriptor(
                        describe(output, shown),
                        oldestTasks()
                                .filter(task -> isOf(task, key))
                                .limit(limit)
                                .map(task -> shown.runningTask(task, KEY))
                                .toList(),
                        explain(key, shown)))
                .findFirst()
                .orElse(null);
    }

    /** An output is known by one of its pieces that is worked on. */
    private @Nullable ExplanationDescriptor explain(Object name, Shown shown) {
        return oldestTasks()
                .filter(task -> isOf(task, name))
                .findFirst()
                .map(RunningTask::key)
                .map(output -> ShownExplanation.of(executor.explain(output, shown.stacks()), shown))
                .orElse(null);
    }

    private static boolean isOf(RunningTask task, Object name) {
        return task.key() instanceof OrderedOutput<?> output && output.name().equals(name);
    }

    // what can be done

    @Override
    void setKeyCapacity(int keyCapacity) {
        executor.setWindow(keyCapacity);
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
