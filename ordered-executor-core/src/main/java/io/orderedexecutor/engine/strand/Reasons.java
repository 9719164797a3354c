package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.ThreadLook;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Cause;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

    /** Explains what waits first in a strand; or what it does, if nothing waits. */
    public static Explanation of(Strand strand, boolean stacks) {
        StrandReasons.Waiting first = StrandReasons.Waiting.firstOf(strand);
        return new Reasons(stacks)
                .explain(
                        StrandReasons.placeOf(strand),
                        first == null ? null : first.task(),
                        first == null ? null : first.age(strand),
                        strand);
    }

    /**
     * Explains a strand whose first task runs, or has waited, for too long.
     *
     * @param nanos from where on that is too long
     * @return null if it is not, or tasks are not timed
     */
    public static @Nullable Explanation ofStuck(Strand strand, long nanos) {
        Duration limit = Duration.ofNanos(nanos);
        RunningTask running = StrandControl.runningTask(strand);
        StrandReasons.Waiting first = running == null ? StrandReasons.Waiting.firstOf(strand) : null;
        Duration age = running != null ? running.age() : first == null ? null : first.age(strand);
        return age == null || age.compareTo(limit) < 0 ? null : of(strand, false);
    }

    /** Explains what waits, and has no strand. */
    public static Explanation of(HeldUp waiting, @Nullable Object task, @Nullable Duration waited, boolean stacks) {
        return new Reasons(stacks).explain(waiting.place(), task, waited, waiting);
    }

    /** Explains why a future is not done; null if it is, or its task has ended. */
    public static @Nullable Explanation of(TaskFuture<?> future, boolean stacks) {
        Strand strand = future.strand();
        Link link = future.link();
        Object work = future.work();
        if (future instanceof HeldUp piece && !future.isDone()) {
            return new Reasons(stacks).explain(piece.place(), work, null, piece);
        }
        if (strand == null || future.isDone()) {
            return null;
        }
        Duration waited = work == null || link == null || link.queuedAt() == 0
                ? null
                : Duration.ofNanos(strand.host().platform().nanoTime() - link.queuedAt());
        return new Reasons(stacks).explain(StrandReasons.placeOf(strand), work, waited, strand);
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
        if (node instanceof Strand strand) {
            return StrandReasons.of(strand);
        }
        if (node instanceof TaskFuture<?> future) {
            return new Reason(null, future.isDone() ? null : future.strand());
        }
        return reasonOf((Thread) node);
    }

    private Reason reasonOf(Thread thread) {
        TaskFuture<?> awaited = Wait.of(thread);
        if (awaited != null) {
            Strand strand = awaited.strand();
            Place place = awaited instanceof HeldUp piece
                    ? piece.place()
                    : strand == null ? null : StrandReasons.placeOf(strand);
            return place == null
                    ? Reason.NONE
                    : new Reason(new Explanation.AwaitingFuture(place, awaited.work()), awaited);
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
