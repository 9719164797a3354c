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
    /** At most so many queued tasks, one behind the other, are part of an explanation. */
    private static final int MOST_QUEUED = 16;

    private final boolean stacks;
    private final List<Cause> causes = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int queued;

    /** What may wait for something, and knows what that is: a step of the way. */
    public interface HeldUp {

        Place where();

        /** What holds it up at this moment. Takes no lock that is held while code of the application runs. */
        Reason heldUpBy();
    }

    /**
     * Why something waits.
     *
     * @param cause what an explanation says of it; null if the next step says it all
     * @param next what the cause itself waits for: a thread, a {@link TaskFuture}, or something {@link HeldUp}; null if
     *     the way ends here
     */
    public record Reason(@Nullable Cause cause, @Nullable Object next) {
        /** Nothing holds it up, or it has gone on meanwhile. */
        public static final Reason NONE = new Reason(null, null);
    }

    private Reasons(boolean stacks) {
        this.stacks = stacks;
    }

    /** Explains what waits. */
    public static Explanation of(HeldUp waiting, @Nullable Object task, @Nullable Duration waited, boolean stacks) {
        return new Reasons(stacks).explain(waiting, task, waited);
    }

    /** Explains why a future is not done; null if it is, or its task has ended. */
    static @Nullable Explanation of(TaskFuture<?> future, boolean stacks) {
        TaskPlace place = future.placeUnlessDone();
        Object work = future.work();
        return place == null ? null : of(place, work, work == null ? null : place.queuedFor(), stacks);
    }

    /** The same, for a future that an application has. */
    public static @Nullable Explanation ofTask(Future<?> future, boolean stacks) {
        if (!(Objects.requireNonNull(future, "future") instanceof TaskFuture<?> task)) {
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

    private Explanation explain(HeldUp first, @Nullable Object task, @Nullable Duration waited) {
        for (Object step = first; step != null && seen.add(step); ) {
            Reason reason = reasonOf(step);
            if (reason.cause() != null) {
                add(reason.cause());
            }
            step = reason.next();
        }
        Place place = first.where();
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

    private Reason reasonOf(Object step) {
        if (step instanceof HeldUp heldUp) {
            return heldUp.heldUpBy();
        }
        if (step instanceof TaskFuture<?> future) {
            return new Reason(null, future.placeUnlessDone());
        }
        return reasonOf((Thread) step);
    }

    private Reason reasonOf(Thread thread) {
        TaskFuture<?> awaited = Wait.futureOf(thread);
        if (awaited != null) {
            TaskPlace place = awaited.placeUnlessDone();
            return place == null
                    ? Reason.NONE
                    : new Reason(new Explanation.AwaitingFuture(place.where(), awaited.work()), place);
        }
        HeldUp submission = Wait.submissionOf(thread);
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
