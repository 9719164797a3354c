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
 * Finds out why something waits: follows what holds it up, from one cause to the next and through all executors, until
 * no further cause is known, or the search meets one again.
 *
 * <p>Used by one thread.
 */
public final class Reasons {
    /** The maximum number of queued tasks in an explanation. */
    private static final int MOST_QUEUED = 16;

    private final boolean stacks;
    private final List<Cause> causes = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int queued;

    /** Something that may wait, and knows for what. */
    public interface HeldUp {

        Place where();

        /** What holds this up at the moment. Takes no lock under which code of the application runs. */
        Reason heldUpBy();
    }

    /**
     * Why something waits.
     *
     * @param cause the entry in the explanation; null if the one for {@code next} suffices
     * @param next what holds up the cause itself: a thread, a {@link TaskFuture}, or a {@link HeldUp}; null if that is
     *     nothing, or not known
     */
    public record Reason(@Nullable Cause cause, @Nullable Object next) {
        /** Nothing is known to hold it up, or nothing does any longer. */
        public static final Reason NONE = new Reason(null, null);
    }

    private Reasons(boolean stacks) {
        this.stacks = stacks;
    }

    /** Explains why something waits. */
    public static Explanation of(HeldUp waiting, @Nullable Object task, @Nullable Duration waited, boolean stacks) {
        return new Reasons(stacks).explain(waiting, task, waited);
    }

    /** Explains why a future is not complete; null if it is complete, or has no place. */
    static @Nullable Explanation of(TaskFuture<?> future, boolean stacks) {
        TaskPlace place = future.placeUnlessDone();
        Object work = future.work();
        return place == null ? null : of(place, work, work == null ? null : place.queuedFor(future), stacks);
    }

    /**
     * As above, for a future that a caller passes in.
     *
     * @throws IllegalArgumentException if no submission has returned the future; or if it is not complete, and a
     *     completion service has wrapped it
     */
    public static @Nullable Explanation ofTask(Future<?> future, boolean stacks) {
        if (!(Objects.requireNonNull(future, "future") instanceof TaskFuture<?> task)) {
            throw new IllegalArgumentException("future is " + future
                    + ", which was not returned by a submission; a stage that depends on one cannot be"
                    + " explained");
        }
        Explanation explanation = of(task, stacks);
        if (explanation == null && task.isWrapped()) {
            throw new IllegalArgumentException("future is " + future
                    + ", which an ExecutorCompletionService has wrapped; if its task has a key, explain that instead");
        }
        return explanation;
    }

    /** An explanation that nothing waits at a place. */
    public static Explanation idle(Place place) {
        return only(new Explanation.Idle(place));
    }

    /** An explanation with one cause, for example a paused key, although nothing waits. */
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
