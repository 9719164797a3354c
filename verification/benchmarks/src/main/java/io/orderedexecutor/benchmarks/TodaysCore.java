package io.orderedexecutor.benchmarks;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls the core as it is in this build. */
final class TodaysCore implements Core {

    @Override
    public StripedSubject striped(Build build) {
        StripedExecutorBuilder builder = StripedExecutor.builder();
        if (build.pool() == null) {
            builder.threads(build.threads());
        } else {
            builder.executor(build.pool());
        }
        if (build.capacity() > 0) {
            builder.capacity(build.capacity());
        }
        if (build.keyCapacity() > 0) {
            builder.keyCapacity(build.keyCapacity());
        }
        Duration blockFor = build.blockFor();
        if (blockFor != null) {
            builder.overflow(Overflow.block(blockFor));
        }
        if (build.discardsOldest()) {
            builder.overflow(Overflow.discardOldest());
        }
        Meters meters = build.meters();
        if (meters != null) {
            builder.listener(new Listener(meters));
        }
        return new Striped(builder.build());
    }

    private record Striped(StripedExecutor executor) implements StripedSubject {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, task);
        }

        @Override
        public void hold(Object key, CompletionStage<?> until) {
            CompletableFuture<?> unused = executor.submitAsync(key, () -> until.thenApply(ignored -> true));
        }

        @Override
        public KeyedExecutor collecting(int most, Consumer<List<Runnable>> handler) {
            return new Collecting(
                    executor,
                    executor.<Object, Runnable>batchTo((key, tasks) -> handler.accept(tasks))
                            .maxBatch(most)
                            .build());
        }

        @Override
        public void look() {
            executor.inspect().stats();
        }

        @Override
        public void scrape() {
            ExecutorInspection inspection = executor.inspect();
            inspection.settings();
            inspection.stats();
            inspection.rejections();
            inspection.whenBusyStats();
            inspection.runningTasks();
            executor.control().isPaused();
            inspection.oldestQueuedAge();
            inspection.reserved();
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    private record Collecting(StripedExecutor executor, Batcher<Object, Runnable> batcher) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            // what becomes of it, the ledger tells
            CompletableFuture<?> unused = batcher.submit(key, task);
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    private record Listener(Meters meters) implements TaskListener {

        @Override
        public void queued(@Nullable Object key, Object task) {
            meters.queued();
        }

        @Override
        public void started(@Nullable Object key, Object task, long nanosQueued) {
            meters.started(nanosQueued);
        }

        @Override
        public void finished(@Nullable Object key, Object task, long nanosRun) {
            meters.finished(nanosRun);
        }
    }

    @Override
    public GroupedSubject grouped(int threads) {
        return new Grouped(GroupedExecutor.builder().threads(threads).build());
    }

    private record Grouped(GroupedExecutor executor) implements GroupedSubject {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(Groups.exclusive(key), task);
        }

        @Override
        public void executeRollup(Object key, Object other, Runnable task) {
            executor.execute(Groups.exclusive(key, other), task);
        }

        @Override
        public void executeShared(Object key, Runnable task) {
            executor.execute(Groups.shared(key), task);
        }

        @Override
        public void executeBarrier(Runnable task) {
            executor.execute(Groups.all(), task);
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    @Override
    public boolean hasStripesOfGroups() {
        return true;
    }

    @Override
    public KeyedExecutor stripesOfGroups(int threads) {
        return new Striped(GroupedExecutor.builder().threads(threads).build().stripes());
    }

    @Override
    public OutputSubject outputs(int threads, int window) {
        return new Outputs(
                OrderedOutputExecutor.builder().threads(threads).window(window).build());
    }

    private record Outputs(OrderedOutputExecutor executor) implements OutputSubject {

        @Override
        public Output open() {
            return new Stream(executor.open(Runnable::run));
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    private record Stream(OrderedOutput<Runnable> output) implements Output {

        @Override
        public void submit(Runnable piece) {
            CompletableFuture<?> unused = output.submit(() -> piece);
        }

        @Override
        public void close() {
            output.close();
        }
    }
}
