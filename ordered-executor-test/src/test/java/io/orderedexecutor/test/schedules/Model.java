package io.orderedexecutor.test.schedules;

import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an executor of keys promises, told one event after the other: R1 order, R2 exclusion, R5 each task ends, R8 the
 * capacity, R9 what a shutdown returns has not started. A mistake is an {@link AssertionError}, which the caller of a
 * listener contains; so it is kept, and thrown at the end.
 */
abstract class Model implements TaskListener {
    private enum State {
        QUEUED,
        RUNNING,
        PUT_BACK,
        ENDED
    }

    private record Accepted(@Nullable Object key, Object task) {}

    /** In the order of their acceptance; those that have ended are taken out. */
    private final List<Accepted> open = new ArrayList<>();

    private final IdentityHashMap<Object, State> states = new IdentityHashMap<>();
    private @Nullable AssertionError mistake;

    int capacity = Integer.MAX_VALUE;

    /** Whether two tasks of these keys may not overlap or overtake each other. */
    abstract boolean conflict(@Nullable Object one, @Nullable Object other);

    private void fail(String what, @Nullable Object key, Object task) {
        if (mistake == null) {
            mistake = new AssertionError(what + ": " + task + " of " + key);
        }
    }

    private void change(@Nullable Object key, Object task, State from, State to) {
        State before = states.put(task, to);
        if (before != from && before != State.PUT_BACK) {
            fail("from " + before + " to " + to, key, task);
        }
    }

    private void end(@Nullable Object key, Object task) {
        if (states.put(task, State.ENDED) == State.ENDED) {
            fail("ended twice", key, task);
        }
        open.removeIf(accepted -> accepted.task() == task);
    }

    @Override
    public void queued(@Nullable Object key, Object task) {
        if (states.put(task, State.QUEUED) != null) {
            fail("accepted twice", key, task);
        }
        open.add(new Accepted(key, task));
        long queued =
                states.values().stream().filter(state -> state == State.QUEUED).count();
        if (queued > capacity) {
            fail(queued + " are queued, and " + capacity + " may be", key, task);
        }
    }

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        change(key, task, State.QUEUED, State.RUNNING);
        for (Accepted earlier : open) {
            if (earlier.task() == task) {
                break;
            }
            if (conflict(earlier.key(), key)) {
                fail("started before the end of " + earlier, key, task);
            }
        }
        for (Accepted other : open) {
            if (other.task() != task && states.get(other.task()) == State.RUNNING && conflict(other.key(), key)) {
                fail("overlaps with " + other, key, task);
            }
        }
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        change(key, task, State.RUNNING, State.RUNNING);
        end(key, task);
    }

    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        change(key, task, State.RUNNING, State.RUNNING);
        end(key, task);
    }

    @Override
    public void dropped(@Nullable Object key, Object task) {
        end(key, task);
    }

    @Override
    public void cancelled(@Nullable Object key, Object task) {
        end(key, task);
    }

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        change(key, task, State.RUNNING, State.PUT_BACK);
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        change(key, task, State.RUNNING, State.PUT_BACK);
    }

    void assertNotStarted(Runnable returned) {
        State state = states.get(returned);
        if (state == State.RUNNING) {
            throw new AssertionError("a shutdown returned a task that runs: " + returned);
        }
    }

    void assertNothingLeft() {
        if (mistake != null) {
            throw mistake;
        }
        if (!open.isEmpty()) {
            throw new AssertionError("not ended: " + open);
        }
    }
}
