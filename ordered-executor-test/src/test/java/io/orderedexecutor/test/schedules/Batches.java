package io.orderedexecutor.test.schedules;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.BatcherBuilder;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Items of two batchers of an executor, one of which may be asynchronous and either of which may linger. */
final class Batches {
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final Duration LINGER_LIMIT = Duration.ofSeconds(5);

    private final Schedule schedule;
    private final List<Batcher<String, Job>> batchers = new ArrayList<>();

    Batches(Schedule schedule, StripedExecutor executor) {
        this.schedule = schedule;
        for (int i = 0; i < 2; i++) {
            int maxBatch = 1 + schedule.simulation.choose(4);
            Object batcher = "batcher " + i;
            BatcherBuilder<String, Job> builder = schedule.oneIn(3)
                    ? executor.batchToAsync((stripe, jobs) -> start(new Together(batcher, stripe, maxBatch), jobs))
                    : executor.batchTo((stripe, jobs) -> run(new Together(batcher, stripe, maxBatch), jobs));
            builder.maxBatch(maxBatch);
            if (schedule.oneIn(3)) {
                builder.linger(LINGER).lingerLimit(LINGER_LIMIT);
            }
            batchers.add(builder.build());
        }
    }

    /**
     * What runs together, as one object for each run of a batch.
     *
     * @param batcher what the items must have been given to
     */
    record Together(Object batcher, String stripe, int maxBatch) {}

    CompletableFuture<?> submit(String stripe, Job job) {
        int chosen = schedule.oneIn(4) ? 1 : 0;
        job.isItemOf("batcher " + chosen);
        return batchers.get(chosen).submit(stripe, job);
    }

    private void run(Together batch, List<Job> jobs) {
        schedule.model.runTogether(batch, jobs);
        jobs.forEach(Job::run);
    }

    /** The batch ends when all its jobs have, whatever comes of them. */
    private CompletionStage<@Nullable Void> start(Together batch, List<Job> jobs) {
        schedule.model.runTogether(batch, jobs);
        List<CompletableFuture<?>> stages = new ArrayList<>();
        for (Job job : jobs) {
            try {
                stages.add(job.get().toCompletableFuture());
            } catch (RuntimeException failure) {
                stages.add(CompletableFuture.failedFuture(new CompletionException(failure)));
            }
        }
        return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]));
    }
}
