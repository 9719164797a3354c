package io.orderedexecutor.engine.task;

import io.orderedexecutor.engine.pool.ThreadLook;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Cause;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The way from something that waits to what holds it up in the end, step by step, whatever executors it leads through.
 * It ends where nothing more is known, or where it has been before.
 *
 * <p>Used by one thread, which may be any; nothing waits for it.
 */
public final class Reasons {
    /** So many queued tasks, one behind the other, are told. */
    private static final int MOST_QUEUED = 16;

    private final boolean stacks;
    private final List<Cause> causes = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int queued;

    private Reasons(boolean stacks) {
        this.stacks = stacks;
    }

    /** Explains what waits, and has no strand. */
    public static Explanation of(HeldUp waiting, @Nullable Object task, @Nullable Duration waited, boolean stacks) {
        return new Reasons(stacks).explain(waiting.where(), task, waited, waiting);
    }

    /** Explains why a future is not done; null if it is, or its task has ended. */
    public static @Nullable Explanation of(Awaited future, boolean stacks) {
        Awaited.Unended task = future.unended();
        return task == null ? null : new Reasons(stacks).explain(task.place(), task.task(), task.waited(), task.what());
    }

    /** The same, for a future that an application has. */
    public static @Nullable Explanation ofTask(Future<?> future, boolean stacks) {
        if (!(Objects.requireNonNull(future, "future") instanceof Awaited task)) {
            throw new IllegalArgumentException("future is " + future
                    + ", which is none that a submission has returned; a stage that depends on one cannot be"
                    + " explained");
        }
        return of(task, stacks);
    }

    /** Nothing waits there. */
    public static Explanation idle(Place place) {
        return only(new Explanation.Idle(place));
    }

    /** Nothing waits there, but it would. */
    public static Explanation only(Cause cause) {
        return new Explanation(cause.place(), null, null, List.of(cause), 0);
    }

    private Explanation explain(Place place, @Nullable Object task, @Nullable Duration waited, Object first) {
        for (Object node = first; node != null && seen.add(node); ) {
            Reason reason = reasonOf(node);
            Cause cause = reason.cause();
            if (cause != null) {
                add(cause);
            }
            node = reason.next();
        }
        if (causes.isEmpty()) {
            causes.add(new Explanation.Idle(place));
        }
        return new Explanation(place, task, waited, causes, Math.max(0, queued - MOST_QUEUED));
    }

    private void add(Cause cause) {
        if (cause instanceof Explanation.Queued && ++queued > MOST_QUEUED) {
            return;
        }
        causes.add(cause instanceof Explanation.Running running && stacks ? withLine(running) : cause);
    }

    private static Cause withLine(Explanation.Running running) {
        ThreadLook look = ThreadLook.at(running.thread());
        return look == null
                ? running
                : new Explanation.Running(
                        running.place(), running.task(), running.age(), running.thread(), look.lineOfApplication());
    }

    private Reason reasonOf(Object node) {
        if (node instanceof HeldUp heldUp) {
            return heldUp.heldUpBy();
        }
        if (node instanceof Awaited future) {
            Awaited.Unended task = future.unended();
            return task == null ? Reason.NONE : new Reason(null, task.what());
        }
        return reasonOf((Thread) node);
    }

    private Reason reasonOf(Thread thread) {
        Awaited awaited = Wait.of(thread);
        if (awaited != null) {
            Awaited.Unended task = awaited.unended();
            return task == null
                    ? Reason.NONE
                    : new Reason(new Explanation.AwaitingFuture(task.place(), task.task()), awaited);
        }
        HeldUp submission = WaitForRoom.of(thread);
        if (submission != null) {
            return new Reason(null, submission);
        }
        ThreadLook look = stacks ? ThreadLook.at(thread) : null;
        if (look == null || look.lock() == null || causes.isEmpty()) {
            return Reason.NONE;
        }
        Place place = causes.get(causes.size() - 1).place();
        return new Reason(new Explanation.AwaitingLock(place, look.lock(), look.ownerName()), look.owner());
    }
}
