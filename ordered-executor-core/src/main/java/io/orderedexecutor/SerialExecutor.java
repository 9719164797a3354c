package io.orderedexecutor;

import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Offer;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One sequence of tasks on any executor: they run one after another, in the order of their submission. It has no
 * threads and no lifecycle, and is three references when idle, so it can be kept in every connection or session. For
 * tasks that are found by a key there is {@link StripedExecutor}.
 *
 * <ul>
 *   <li><b>Order and exclusion.</b> If one submission happens-before another, the first task has ended before the
 *       second starts. Concurrent submissions get some order. No two tasks overlap.
 *   <li><b>Turns.</b> The thread is given back to the executor after 64 tasks or a millisecond, whichever comes first,
 *       and asked for again; see {@link #untilEmpty} for another way.
 *   <li><b>Failures.</b> What a task throws, including an {@link Error}, reaches the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of its thread, and the next task
 *       runs. An interrupt of one task does not reach the next.
 *   <li><b>Refusals.</b> If the executor underneath rejects, the submitter gets what it throws, and that task does not
 *       run. A rejection loses no accepted task: a thread whose turn is over continues, and tasks that others submitted
 *       in the meantime run on a thread of their own, until the sequence is empty or the executor takes it again. If
 *       none can be started, the current thread runs them, and its uncaught exception handler is told.
 *   <li><b>Recursion.</b> However long the sequence, no task runs inside another. An executor that runs tasks on the
 *       calling thread runs the caller's own task, and those that it submits to the sequence; tasks of others run on a
 *       thread of their own.
 * </ul>
 *
 * <p>To wait for what was submitted so far, submit one more task and wait for that:
 * {@code CompletableFuture.runAsync(() -> {}, serial).join()}. A task of the sequence must not do so: it would wait for
 * itself.
 *
 * <p>Memory consistency effects: actions in a thread before it submits a task <i>happen-before</i> the task starts, and
 * what the task does <i>happens-before</i> the next one starts.
 *
 * <p>All methods may be called from any thread, tasks included.
 */
public final class SerialExecutor implements Executor {
    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(SerialExecutor.class, "last", Link.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Executor executor;

    private final Turn turn;

    /** The last task that was submitted; null when idle. Exchanged atomically. */
    private volatile @Nullable Link last;

    /**
     * Makes a sequence.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}; one that drops them
     *     silently stalls the sequence. Its {@code execute} must not wait when it is full, but refuse; for one that
     *     waits, see {@link #untilEmpty}
     * @throws NullPointerException if {@code executor} is null
     */
    public SerialExecutor(Executor executor) {
        this(executor, Turn.DEFAULT);
    }

    private SerialExecutor(Executor executor, Turn turn) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.turn = turn;
    }

    /**
     * Makes a sequence whose tasks keep their thread as long as there are any, and do not share it with others after a
     * turn. This is for an executor whose {@code execute} waits when it is full: a thread of that executor that called
     * it at the end of a turn would wait for room that only itself and its like can make.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}
     * @return a new sequence
     * @throws NullPointerException if {@code executor} is null
     */
    public static SerialExecutor untilEmpty(Executor executor) {
        return new SerialExecutor(executor, Turn.UNTIL_EMPTY);
    }

    /**
     * Runs {@code task} after all earlier ones.
     *
     * @param task the task
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if {@code task} is null
     */
    @Override
    public void execute(Runnable task) {
        Link link = new Link(this, TaskFuture.asPlain(Objects.requireNonNull(task, "task")));
        Link before = (Link) LAST.getAndSet(this, link);
        if (before != null && before.isFollowedBy(link)) {
            ArrayDeque<Link> own = Submitted.ownOf(this);
            if (own != null) {
                own.add(link);
            }
            return;
        }
        Submitted submitted = new Submitted(link);
        submitted.begin();
        try {
            executor.execute(submitted);
            submitted.ends();
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            submitted.ends();
            if (link.take() == null) {
                // it has run all the same, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                return;
            }
            Link next = link.nextOrEnd(this);
            if (next != null) {
                handOn(next);
            }
            throw refusal;
        }
    }

    /** Finds another thread for tasks that were accepted. */
    private void handOn(Link link) {
        if (!BorrowedWorkers.passOn(executor, link)) {
            runOnOwnThread(link);
        }
    }

    private static void runOnOwnThread(Runnable link) {
        try {
            Platform platform = Platform.of("serial");
            platform.start(platform.threadFactory("serial-helper", null).newThread(link));
        } catch (Throwable noThread) {
            UncaughtFailures.report(new RejectedExecutionException(
                    "no thread could be started for a SerialExecutor, so thread '"
                            + Thread.currentThread().getName() + "' runs its tasks that are ready",
                    noThread));
            link.run();
        }
    }

    /** Returns what this sequence runs on, and whether it has tasks. */
    @Override
    public String toString() {
        return "SerialExecutor[" + executor + ", " + (last == null ? "idle" : "busy") + "]";
    }

    /** A task that its submitter gives to the executor, which may run it inline. */
    private static final class Submitted extends Offer {

        /** While this one runs inline: the tasks that it has submitted from its thread, which stand behind it. */
        private @Nullable ArrayDeque<Link> own;

        Submitted(Link link) {
            super(link);
        }

        /** The tasks that may run on the current thread, inside its submission to a sequence; null if none may. */
        static @Nullable ArrayDeque<Link> ownOf(SerialExecutor sequence) {
            for (Offer offer = given(); offer != null; offer = offer.outer()) {
                if (offer instanceof Submitted submitted
                        && submitted.own != null
                        && ((Link) submitted.work()).sequence == sequence) {
                    return submitted.own;
                }
            }
            return null;
        }

        @Override
        protected void runInline() {
            if (own == null) {
                own = new ArrayDeque<>(0);
                ((Link) work()).serve(own);
                own = null;
            }
        }
    }

    /**
     * A task, and the one behind it. Whoever takes the task, which is handed over perhaps more than once, runs it and
     * goes on with those behind it. Two threads decide by compare-and-set what comes of the last link:
     *
     * <pre>
     *   no next ──▶ a next one  by its submitter, who need not do more
     *   no next ──▶ END         by the thread that has run the task: the next submitter has to find a thread
     * </pre>
     *
     * <p>To link a task behind the one before it, so that nobody waits, is Jeff Hain's answer to the author of http-kit
     * on the concurrency-interest list.
     */
    private static final class Link implements Runnable {
        private static final VarHandle TASK;
        private static final VarHandle NEXT;

        static {
            try {
                var lookup = MethodHandles.lookup();
                TASK = lookup.findVarHandle(Link.class, "task", Runnable.class);
                NEXT = lookup.findVarHandle(Link.class, "next", Link.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private static final Link END = new Link(null, null);

        /** Null only for the end. */
        private final @Nullable SerialExecutor sequence;

        private volatile @Nullable Runnable task;
        private volatile @Nullable Link next;

        Link(@Nullable SerialExecutor sequence, @Nullable Runnable task) {
            this.sequence = sequence;
            // plain is enough: the link is published by the exchange of the last one
            TASK.set(this, task);
        }

        boolean isFollowedBy(Link link) {
            return NEXT.compareAndSet(this, null, link);
        }

        @Nullable
        Runnable take() {
            return task == null ? null : (Runnable) TASK.getAndSet(this, null);
        }

        @Override
        public void run() {
            serve(null);
        }

        /**
         * Runs the task of this link, unless another thread does, and then those behind it for a turn.
         *
         * @param own those behind it that may run on this thread; null if all may
         */
        void serve(@Nullable ArrayDeque<Link> own) {
            SerialExecutor owner = Objects.requireNonNull(sequence);
            Turn.Clock clock = new Turn.Clock();
            // of a caller who runs tasks itself: meant for none of them
            boolean interrupted = Thread.interrupted();
            Link link = this;
            // another thread may have taken the task: a pool can run what it has refused
            for (Runnable mine = take(); mine != null; mine = link == null ? null : link.take()) {
                run(mine);
                clock.served(1);
                Link next = Objects.requireNonNull(link).nextOrEnd(owner);
                link = next == null || next.goesOnHere(owner, own, clock) ? next : null;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** Whether the current thread, which has run the task before this one, runs this one; else another will. */
        private boolean goesOnHere(SerialExecutor owner, @Nullable ArrayDeque<Link> own, Turn.Clock clock) {
            if (own != null) {
                if (own.peek() == this) {
                    own.remove();
                    return true;
                }
                owner.handOn(this);
                return false;
            }
            if (owner.turn == Turn.UNTIL_EMPTY
                    || !clock.isOver(owner.turn, Platform.of("serial").nanoTime())) {
                return true;
            }
            clock.begin();
            return !BorrowedWorkers.passOn(owner.executor, this);
        }

        private static void run(Runnable task) {
            try {
                task.run();
            } catch (Throwable failure) {
                UncaughtFailures.report(failure);
            }
            Thread.interrupted();
        }

        private @Nullable Link nextOrEnd(SerialExecutor owner) {
            if (next == null && isFollowedBy(END)) {
                LAST.compareAndSet(owner, this, null);
                return null;
            }
            Link following = next;
            // a thread refers to the first link that it serves, which must not keep those behind it
            next = END;
            return following;
        }
    }
}
