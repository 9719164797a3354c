package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Compares what submitters, tasks, futures and the listener of one executor say. It is a listener that throws now and
 * then, which must harm no task.
 */
final class Audit implements TaskListener {

    /** What the listener is told at the end of a task. */
    enum End {
        FINISHED,
        FAILED,
        DROPPED,
        CANCELLED
    }

    private static final int MOST_WATCHED = 5000;

    private final Traits traits;
    private final LongAdder made = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder givenBack = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder finished = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder runs = new LongAdder();
    private final LongAdder futures = new LongAdder();
    private final LongAdder futuresDone = new LongAdder();
    private final AtomicLong heard = new AtomicLong();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    /** Some keys and tasks, which nobody may hold in the end. */
    private final Queue<WeakReference<Object>> watched = new ConcurrentLinkedQueue<>();

    /**
     * What an executor is like, as far as its tasks have to know.
     *
     * @param name what it is called
     * @param faults of a thousand tasks, how many fail or misbehave
     * @param attempts how often a task may run
     * @param tellsInterruptsApart whether the interrupt of a task cannot reach one that runs inside it
     * @param writesResults whether its tasks are pieces of an ordered output
     * @param completers complete the stages of asynchronous tasks
     */
    record Traits(
            String name,
            int faults,
            int attempts,
            boolean tellsInterruptsApart,
            boolean writesResults,
            Executor completers) {}

    Audit(Traits traits) {
        this.traits = traits;
    }

    String name() {
        return traits.name();
    }

    int faults() {
        return traits.faults();
    }

    int attempts() {
        return traits.attempts();
    }

    boolean tellsInterruptsApart() {
        return traits.tellsInterruptsApart();
    }

    boolean writesResults() {
        return traits.writesResults();
    }

    Executor completers() {
        return traits.completers();
    }

    // what submitters say

    void made() {
        made.increment();
    }

    void givenBack() {
        givenBack.increment();
    }

    /** Notes a refusal; throws what is none. */
    void refused(Throwable refusal) {
        if (!isRefusal(refusal)) {
            throw new AssertionError("not a refusal", refusal);
        }
        rejected.increment();
    }

    /** Whether an executor refuses, of which one in the test also throws errors. */
    static boolean isRefusal(Throwable failure) {
        return failure instanceof RejectedExecutionException
                || (failure instanceof OutOfMemoryError
                        && String.valueOf(failure.getMessage()).endsWith("says the test"));
    }

    void watch(CompletableFuture<?> future) {
        futures.increment();
        future.whenComplete((result, failure) -> futuresDone.increment());
    }

    void watch(Object key, Object task) {
        if (watched.size() < MOST_WATCHED) {
            watched.add(new WeakReference<>(key));
            watched.add(new WeakReference<>(task));
        }
    }

    // what tasks say

    void ran() {
        runs.increment();
    }

    long runs() {
        return runs.sum();
    }

    void violate(String what) {
        if (violations.size() < 10) {
            violations.add(traits.name() + ": " + what);
        }
    }

    // what the executor tells

    private void hear(LongAdder count) {
        count.increment();
        if (heard.incrementAndGet() % 997 == 0) {
            throw new ThrownOnPurpose();
        }
    }

    private void hear(LongAdder count, Object task, End end) {
        if (task instanceof Job job) {
            job.end(end);
        } else {
            violate("not as it was submitted: " + task);
        }
        hear(count);
    }

    @Override
    public void queued(Object key, Object task) {
        hear(accepted);
    }

    @Override
    public void refused(Object key, Object task) {
        hear(refused);
    }

    @Override
    public void finished(Object key, Object task, long nanosRun) {
        hear(finished, task, End.FINISHED);
    }

    @Override
    public void failed(Object key, Object task, long nanosRun, Throwable failure) {
        hear(failed, task, End.FAILED);
    }

    @Override
    public void dropped(Object key, Object task) {
        hear(cancelled, task, End.DROPPED);
    }

    @Override
    public void replaced(Object key, Object task) {
        hear(cancelled, task, End.DROPPED);
    }

    @Override
    public void cancelled(Object key, Object task) {
        hear(cancelled, task, End.CANCELLED);
    }

    // the end of a phase

    /** Fails unless all that was made has one end, of which all say the same. */
    void assertSettled(Supplier<? extends OrderedExecutorStats> stats) {
        assertNoViolations();
        // an end is told of, and seen in a future, just after the executor is without tasks
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Patience.SECONDS);
        while (!isSettled() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(this, 1_000_000);
        }
        assertThat(accepted.sum() + rejected.sum() + refused.sum() + givenBack.sum())
                .as("accepted, rejected, refused or given back, of all that was made: %s", this)
                .isEqualTo(made.sum());
        assertThat(finished.sum() + failed.sum() + cancelled.sum())
                .as("ended, of what was accepted: %s", this)
                .isEqualTo(accepted.sum());
        assertThat(futuresDone.sum()).as("done, of the futures: %s", this).isEqualTo(futures.sum());
        assertThat(runs.sum()).as("runs: %s", this).isGreaterThanOrEqualTo(finished.sum() + failed.sum());
        OrderedExecutorStats counted = stats.get();
        assertThat(counted.completed()).as("completed: %s", this).isEqualTo(finished.sum());
        assertThat(counted.failed()).as("failed: %s", this).isEqualTo(failed.sum());
        assertThat(counted.cancelled()).as("cancelled: %s", this).isEqualTo(cancelled.sum());
        assertThat(counted.rejected()).as("rejected: %s", this).isEqualTo(rejected.sum());
        assertThat(counted.queued() + counted.active())
                .as("queued or active: %s", counted)
                .isZero();
        assertNoViolations();
    }

    /** For what has no listener: fails unless all that was made was refused or has run. */
    void assertRan() {
        assertNoViolations();
        assertThat(runs.sum() + rejected.sum()).as("runs and refusals").isEqualTo(made.sum());
    }

    private boolean isSettled() {
        return finished.sum() + failed.sum() + cancelled.sum() == accepted.sum() && futuresDone.sum() == futures.sum();
    }

    private void assertNoViolations() {
        assertThat(violations).isEmpty();
    }

    /** Fails if a key or task is held that was watched. */
    void assertCleared() {
        List<WeakReference<Object>> references = new ArrayList<>(watched);
        watched.clear();
        Reachability.assertCleared(references);
    }

    @Override
    public String toString() {
        return String.format(
                "%,d made, %,d accepted, %,d rejected, %,d refused, %,d given back, %,d run, %,d finished, %,d failed, "
                        + "%,d cancelled",
                made.sum(),
                accepted.sum(),
                rejected.sum(),
                refused.sum(),
                givenBack.sum(),
                runs.sum(),
                finished.sum(),
                failed.sum(),
                cancelled.sum());
    }
}
