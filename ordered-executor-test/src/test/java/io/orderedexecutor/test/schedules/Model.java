package io.orderedexecutor.test.schedules;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an executor of keys promises, told one event after the other: R1 order, R2 exclusion, R5 each task ends, R8 the
 * capacities, R9 what a shutdown returns does not run, R11 who is refused or replaced, R12 reserved places.
 *
 * <p>It hears of each task from two sides. The executor tells, as to any listener, what it has accepted and how that
 * ended. When work begins and ends, the {@link Job} says itself. So an executor that lets a task go on before the one
 * ahead of it has ended is found out, also where it tells its listener otherwise.
 *
 * <p>A mistake is an {@link AssertionError}, which the caller of a listener contains; so it is kept, and thrown at the
 * end.
 */
abstract class Model implements TaskListener {
    /** In the order of their acceptance; those that have ended are taken out. */
    private final List<Accepted> open = new ArrayList<>();

    private final IdentityHashMap<Job, Accepted> byJob = new IdentityHashMap<>();

    /** When a job was about to be submitted. */
    private final IdentityHashMap<Job, Integer> calls = new IdentityHashMap<>();

    /** The places that jobs are about to use. */
    private final IdentityHashMap<Job, Accepted> places = new IdentityHashMap<>();

    /** The last job of each key and slot that was accepted, and whether it was replaced. */
    private final Map<List<Object>, Accepted> latest = new HashMap<>();

    private final List<Accepted> replaced = new ArrayList<>();
    /** How many items of a batch of each key are on their way from the queue, and told to start one by one. */
    private final Map<Object, Integer> starting = new HashMap<>();

    private int time;
    private @Nullable AssertionError mistake;

    int capacity = Integer.MAX_VALUE;
    int keyCapacity = Integer.MAX_VALUE;

    /** Whether two tasks of these keys may not overlap or overtake each other. */
    abstract boolean conflict(@Nullable Object one, @Nullable Object other);

    /** What counts towards the capacity of a key. */
    List<Object> countedIn(@Nullable Object key) {
        return List.of();
    }

    final void fail(String what, Object task) {
        if (mistake == null) {
            mistake = new AssertionError(what + ": " + task);
        }
    }

    // what callers do

    /** A job is about to be submitted. */
    void calls(Job job) {
        calls.put(job, time++);
    }

    /** A place was reserved. */
    Accepted reserved(@Nullable Object key, Reservation place) {
        Accepted accepted = new Accepted(key, null, place, time, time++);
        open.add(accepted);
        failIfFull(accepted);
        return accepted;
    }

    /** A job is about to be put into a reserved place. */
    void uses(Accepted place, Job job) {
        calls(job);
        places.put(job, place);
    }

    // what jobs say

    /** The work of a job begins. */
    void begins(Job job) {
        Accepted mine = byJob.get(job);
        if (mine == null) {
            if (!job.isToldLate()) {
                fail("begins, and was not accepted", job);
                return;
            }
            mine = accept(job.key(), job);
        }
        if (job.isWorking()) {
            fail("begins while it works", mine);
        }
        if (mine.hasEnded() && !(job.batcher() != null && job.isCancelled())) {
            // the batch of an item that is cancelled while it runs goes on
            fail("begins after its end", mine);
        }
        for (Accepted other : open) {
            if (other != mine && conflict(other.key, mine.key)) {
                if (other.isWorking() && !(other.job != null && job.runsTogetherWith(other.job))) {
                    fail("begins while " + other + " works", mine);
                } else if (other.to < mine.from && other.comesFirst()) {
                    fail("begins before the end of " + other, mine);
                }
            }
        }
    }

    /** A batch is about to run. */
    void runTogether(Batches.Together batch, List<Job> jobs) {
        if (jobs.isEmpty() || jobs.size() > batch.maxBatch()) {
            fail(jobs.size() + " items run together, and " + batch.maxBatch() + " may", jobs);
        }
        for (Job job : jobs) {
            if (!batch.batcher().equals(job.batcher()) || !batch.stripe().equals(job.key())) {
                fail("runs together with items of " + batch, job);
            }
            job.runsTogether(batch);
        }
        for (int i = 1; i < jobs.size(); i++) {
            Accepted one = byJob.get(jobs.get(i - 1));
            Accepted next = byJob.get(jobs.get(i));
            if (one != null && next != null && next.to < one.from) {
                fail("comes behind " + one + " in a batch", next);
            }
        }
    }

    // what the executor tells

    @Override
    public void queued(@Nullable Object key, Object task) {
        Job job = (Job) task;
        Accepted place = places.remove(job);
        if (place != null) {
            place.job = job;
            byJob.put(job, place);
        } else if (!byJob.containsKey(job)) {
            accept(key, job);
        } else if (!job.isToldLate()) {
            fail("accepted twice", job);
        }
    }

    private Accepted accept(@Nullable Object key, Job job) {
        int to = time++;
        Object slot = job.slot();
        Accepted accepted = new Accepted(key, job, null, job.isToldLate() ? calls.getOrDefault(job, to) : to, to);
        if (job.skipsWhenBusy()) {
            open.stream()
                    .filter(other -> conflict(other.key, key) && (other.isWorking() || other.comesFirst()))
                    .forEach(busy -> fail("was accepted beside " + busy, accepted));
        }
        open.add(accepted);
        byJob.put(job, accepted);
        if (slot != null && key != null) {
            latest.put(List.of(key, slot), accepted);
        }
        failIfFull(accepted);
        return accepted;
    }

    private void failIfFull(Accepted accepted) {
        long queued = open.stream().filter(Accepted::isQueued).count()
                - starting.values().stream().mapToInt(items -> items).sum();
        if (queued > capacity) {
            fail(queued + " are queued, and " + capacity + " may be", accepted);
        }
        for (Object key : countedIn(accepted.key)) {
            queued = open.stream()
                            .filter(other ->
                                    other.isQueued() && countedIn(other.key).contains(key))
                            .count()
                    - starting.getOrDefault(key, 0);
            if (queued > keyCapacity) {
                fail(queued + " are queued in " + key + ", and " + keyCapacity + " may be", accepted);
            }
        }
    }

    private @Nullable Accepted find(Object task, String what) {
        Job job = (Job) task;
        Accepted accepted = byJob.get(job);
        if (accepted == null && job.isToldLate()) {
            accepted = accept(job.key(), job);
        }
        if (accepted == null) {
            fail(what + ", and was not accepted", job);
        } else if (accepted.hasEnded()) {
            fail(what + " after its end", accepted);
        }
        return accepted;
    }

    /** A task of which the end of an attempt is told; null if it is not known. */
    private @Nullable Accepted findStarted(Object task, String what) {
        Accepted accepted = find(task, what);
        if (accepted != null) {
            if (accepted.state != Accepted.State.STARTED) {
                fail(what + ", and has not started", accepted);
            }
            failIfWorking(accepted, what);
        }
        return accepted;
    }

    private void failIfWorking(Accepted accepted, String what) {
        if (accepted.isWorking()) {
            fail(what + " while it works", accepted);
        }
    }

    private void end(Object task, String what) {
        Accepted accepted = find(task, what);
        if (accepted != null) {
            if (accepted.key != null && accepted.state == Accepted.State.STARTED) {
                // of those that are over before they start, no start is told
                starting.remove(accepted.key);
            }
            accepted.state = Accepted.State.ENDED;
            open.remove(accepted);
        }
    }

    /** Whether the executor has told an end of a job. */
    final boolean hasEnded(Job job) {
        Accepted accepted = byJob.get(job);
        return accepted != null && accepted.hasEnded();
    }

    @Override
    public void batched(@Nullable Object key, int items) {
        if (key != null) {
            starting.put(key, items);
        }
    }

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        Accepted accepted = find(task, "started");
        if (accepted != null) {
            if (key != null && accepted.state == Accepted.State.QUEUED) {
                starting.computeIfPresent(key, (any, items) -> items == 1 ? null : items - 1);
            }
            if (accepted.state == Accepted.State.STARTED) {
                fail("started twice", accepted);
            }
            failIfWorking(accepted, "started");
            accepted.state = Accepted.State.STARTED;
        }
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        if (findStarted(task, "finished") != null && !((Job) task).hasBegun()) {
            fail("finished, and has not begun", task);
        }
        end(task, "finished");
    }

    /** Also a task that was parked, if it is skipped. */
    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        Accepted accepted = find(task, "failed");
        if (accepted != null) {
            if (accepted.state == Accepted.State.QUEUED) {
                fail("failed, and has not started", accepted);
            }
            failIfWorking(accepted, "failed");
            end(task, "failed");
        }
    }

    @Override
    public void dropped(@Nullable Object key, Object task) {
        Accepted accepted = find(task, "dropped");
        boolean isPutBack = accepted != null && accepted.state == Accepted.State.STARTED;
        end(task, "dropped");
        if (accepted != null && isPutBack) {
            failIfWorking(accepted, "dropped");
            if (((Job) task).batcher() == null) {
                accepted.state = Accepted.State.DROPPED_WHILE_PUT_BACK;
            }
        }
    }

    @Override
    public void cancelled(@Nullable Object key, Object task) {
        end(task, "cancelled");
    }

    @Override
    public void replaced(@Nullable Object key, Object task) {
        if (((Job) task).hasBegun()) {
            fail("replaced, and has begun", task);
        }
        end(task, "replaced");
        Accepted old = byJob.get(task);
        if (old != null) {
            replaced.add(old);
        }
    }

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        putBack(task, "parked");
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        putBack(task, "put back");
    }

    private void putBack(Object task, String what) {
        Accepted dropped = byJob.get(task);
        if (dropped != null && dropped.state == Accepted.State.DROPPED_WHILE_PUT_BACK) {
            dropped.state = Accepted.State.ENDED;
            return;
        }
        Accepted accepted = findStarted(task, what);
        if (accepted != null) {
            accepted.state = Accepted.State.PUT_BACK;
        }
    }

    // the end

    /** A shutdown has returned a task, which does not run from now on. */
    void assertNotStarted(Runnable returned) {
        byJob.forEach((job, accepted) -> {
            if (job.isFutureOf(returned)) {
                if (job.isWorking() || !accepted.hasEnded()) {
                    fail("a shutdown returned a task that has not ended", accepted);
                }
            }
        });
    }

    void assertNothingLeft() {
        for (Accepted old : replaced) {
            if (old.key != null && latest.get(List.of(old.key, slotOf(old))) == old) {
                fail("replaced by nothing", old);
            }
        }
        for (Accepted accepted : byJob.values()) {
            if (accepted.state == Accepted.State.DROPPED_WHILE_PUT_BACK) {
                fail("dropped, and has started", accepted);
            }
        }
        if (mistake != null) {
            throw mistake;
        }
        open.removeIf(accepted -> accepted.job == null && !accepted.isOpenPlace());
        if (!open.isEmpty()) {
            throw new AssertionError("not ended: " + open);
        }
    }

    private static Object slotOf(Accepted accepted) {
        Object slot = accepted.job == null ? null : accepted.job.slot();
        return slot == null ? accepted : slot;
    }
}
