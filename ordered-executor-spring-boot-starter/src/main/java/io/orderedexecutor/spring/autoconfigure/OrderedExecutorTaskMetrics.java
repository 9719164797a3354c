package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times each task of one executor: how long it was queued, and how long it ran, with the stage that it may have
 * returned.
 */
final class OrderedExecutorTaskMetrics implements TaskListener {
    private final Timer queued;
    private final Timer completed;
    private final Timer failed;
    private final Timer waited;
    private final Timer written;
    private final Counter dropped;
    private final Counter retried;
    private final DistributionSummary batchSize;

    OrderedExecutorTaskMetrics(MeterRegistry registry, String executorName, String type) {
        Tags tags = OrderedExecutorMetrics.tags(executorName, type);
        this.queued = Timer.builder(OrderedExecutorMetrics.PREFIX + "task.queued")
                .description("Time from the submission of a task to its start")
                .tags(tags)
                .register(registry);
        this.completed = run("completed", tags, registry);
        this.failed = run("failed", tags, registry);
        this.waited = Timer.builder(OrderedExecutorMetrics.PREFIX + "output.waited")
                .description("Time from the end of the work on a piece to its output")
                .tags(tags)
                .register(registry);
        this.written = Timer.builder(OrderedExecutorMetrics.PREFIX + "output.written")
                .description("Time that the output of a piece took")
                .tags(tags)
                .register(registry);
        this.dropped = Counter.builder(OrderedExecutorMetrics.PREFIX + "dropped")
                .description("Queued tasks that had to make room for newer ones")
                .baseUnit("tasks")
                .tags(tags)
                .register(registry);
        this.retried = Counter.builder(OrderedExecutorMetrics.PREFIX + "retried")
                .description("Failures after which a task is run again")
                .baseUnit("failures")
                .tags(tags)
                .register(registry);
        this.batchSize = DistributionSummary.builder(OrderedExecutorMetrics.PREFIX + "batch.size")
                .description("Items of a batch, or calls that were joined")
                .baseUnit("tasks")
                .tags(tags)
                .register(registry);
    }

    private static Timer run(String outcome, Tags tags, MeterRegistry registry) {
        return Timer.builder(OrderedExecutorMetrics.PREFIX + "task.run")
                .description("Time from the start of a task to its end, its stage included")
                .tags(tags.and("outcome", outcome))
                .register(registry);
    }

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        queued.record(nanosQueued, TimeUnit.NANOSECONDS);
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        completed.record(nanosRun, TimeUnit.NANOSECONDS);
    }

    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        failed.record(nanosRun, TimeUnit.NANOSECONDS);
    }

    @Override
    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        waited.record(nanosWaited, TimeUnit.NANOSECONDS);
        written.record(nanosWritten, TimeUnit.NANOSECONDS);
    }

    @Override
    public void dropped(@Nullable Object key, Object task) {
        dropped.increment();
    }

    @Override
    public void batched(@Nullable Object key, int items) {
        batchSize.record(items);
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration delay, Throwable failure) {
        retried.increment();
    }
}
