package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** Pieces of several outputs: each submitter has its own, and more that it opens on the way and closes or stops. */
final class OutputLoad implements Load {

    private final Audit audit;
    private final int submitters;
    private final OrderedOutputExecutor executor;
    private final Lane[] lanes;
    private final List<OrderedOutput<Object>> kept;
    private final LongAdder passing = new LongAdder();

    /** Used by the thread that changes settings. */
    private boolean isPaused;

    OutputLoad(Audit audit, int submitters) {
        this.audit = audit;
        this.submitters = submitters;
        executor = OrderedOutputExecutor.builder()
                .name(audit.name())
                .threads(2)
                .window(200)
                .listener(audit)
                .build();
        lanes = IntStream.range(0, submitters)
                .mapToObj(i -> new Lane(submitters))
                .toArray(Lane[]::new);
        kept = IntStream.range(0, submitters)
                .mapToObj(i -> executor.open(OutputLoad::write))
                .toList();
    }

    @Override
    public void act(int submitter, boolean watches, SplittableRandom random) {
        submit(kept.get(submitter), lanes[submitter], submitter, random);
        if (random.nextInt(4) == 0) {
            OrderedOutput<Object> once = executor.open(OutputLoad::write);
            Lane lane = new Lane(submitters);
            passing.increment();
            if (watches && random.nextInt(16) == 0) {
                audit.watch(once, lane);
            }
            submit(once, lane, submitter, random);
            submit(once, lane, submitter, random);
            if (random.nextInt(4) == 0) {
                once.stop();
            }
        }
    }

    private void submit(OrderedOutput<Object> output, Lane lane, int submitter, SplittableRandom random) {
        Job job = new Job(audit, List.of(lane.next(submitter, false)), random);
        audit.made();
        try {
            CompletableFuture<?> future = random.nextInt(4) == 0 ? output.submitAsync(job) : output.submit(job);
            audit.watch(future);
            if (random.nextInt(20) == 0) {
                future.cancel(random.nextBoolean());
            }
        } catch (RejectedExecutionException refusal) {
            audit.refused(refusal);
        }
    }

    private static void write(Object job) {
        ((Job) job).write();
    }

    @Override
    public void change(SplittableRandom random) {
        calm();
        switch (random.nextInt(2)) {
            case 0 -> executor.control().setThreads(1 + random.nextInt(4));
            default -> {
                isPaused = true;
                executor.control().pause();
            }
        }
    }

    @Override
    public void calm() {
        if (isPaused) {
            isPaused = false;
            executor.control().resume();
        }
    }

    @Override
    public void settle() throws InterruptedException {
        if (!executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS))) {
            throw Patience.hang(executor + " is not idle: " + audit);
        }
        audit.assertSettled(executor.inspect()::stats);
    }

    @Override
    public void assertNothingIsHeld() {
        assertThat(executor.inspect().stats().keys()).as("outputs of %s", this).isZero();
        audit.assertCleared();
    }

    @Override
    public long passingKeys() {
        return passing.sum();
    }

    @Override
    public String toString() {
        return executor.name() + ": " + audit;
    }

    @Override
    public void close() {
        kept.forEach(OrderedOutput::close);
        Patience.terminate(executor);
    }
}
