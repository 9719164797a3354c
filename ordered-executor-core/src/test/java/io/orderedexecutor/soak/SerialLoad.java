package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.fixtures.Patience;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** Serial executors on a pool that refuses now and then: some that are kept, and more that are not. */
final class SerialLoad implements Load {
    private static final int KEPT = 64;

    /** How many tasks may wait or run at once. */
    private static final int ROOM = 1000;

    private final Audit audit;
    private final Executor pool;
    private final int submitters;
    private final SerialExecutor[] kept;
    private final Lane[] lanes;
    private final Semaphore room = new Semaphore(ROOM);
    private final LongAdder passing = new LongAdder();

    SerialLoad(Audit audit, Executor pool, int submitters) {
        this.audit = audit;
        this.pool = pool;
        this.submitters = submitters;
        kept = IntStream.range(0, KEPT).mapToObj(i -> new SerialExecutor(pool)).toArray(SerialExecutor[]::new);
        lanes = IntStream.range(0, KEPT).mapToObj(i -> new Lane(submitters)).toArray(Lane[]::new);
    }

    @Override
    public void act(int submitter, boolean watches, SplittableRandom random) {
        int number = random.nextInt(KEPT);
        execute(kept[number], lanes[number], submitter, random);
        SerialExecutor once = SerialExecutor.untilEmpty(pool);
        Lane lane = new Lane(submitters);
        passing.increment();
        if (watches && random.nextInt(16) == 0) {
            audit.watch(once, lane);
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            execute(once, lane, submitter, random);
        }
    }

    private void execute(SerialExecutor executor, Lane lane, int submitter, SplittableRandom random) {
        Patience.acquire(room, 1);
        audit.made();
        Job job = new Job(audit, List.of(lane.next(submitter, false)), random);
        try {
            executor.execute(() -> {
                try {
                    job.run();
                } finally {
                    room.release();
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError refusal) {
            room.release();
            audit.refused(refusal);
        }
    }

    @Override
    public void change(SplittableRandom random) {
        // a sequence has no settings
    }

    @Override
    public void calm() {
        // nor can it be paused
    }

    @Override
    public void settle() {
        Patience.acquire(room, ROOM);
        room.release(ROOM);
        audit.assertRan();
        assertThat(room.availablePermits())
                .as("a task that ran twice has given two back")
                .isEqualTo(ROOM);
    }

    @Override
    public void assertNothingIsHeld() {
        audit.assertCleared();
    }

    @Override
    public long passingKeys() {
        return passing.sum();
    }

    @Override
    public String toString() {
        return String.format("%s: %,d sequences, %,d run", audit.name(), passing.sum() + KEPT, audit.runs());
    }

    @Override
    public void close() {
        // it has no lifecycle
    }
}
