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
 * One sequence of tasks on any executor: the tasks run one after another, in the order of their submission. A sequence
 * has no threads and no lifecycle, and consists of three references when idle, so each connection or session can have
 * one. For tasks that are ordered by keys, use a {@link StripedExecutor}.
 *
 * <ul>
 *   <li><b>Order and exclusion.</b> If one submission happens-before another, the first task has ended before the
 *       second starts. Concurrent submissions get some order. No two tasks overlap.
 *   <li><b>Turns.</b> After 64 tasks or a millisecond, whichever comes first, the sequence gives its thread back to the
 *       executor and requests one again. A sequence that is created by {@link #untilEmpty} keeps its thread.
 *   <li><b>Failures.</b> An exception or {@link Error} of a task goes to the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of its thread, and the next task
 *       runs. An interrupt of one task does not reach the next: after a {@code shutdownNow} of the pool, the tasks
 *       behind the interrupted one still run, on its thread.
 *   <li><b>Rejection.</b> If the sequence is idle and the underlying executor rejects a task, the submitter gets the
 *       exception, and that task does not run. A rejection loses no accepted task: a thread whose turn is over
 *       continues, and tasks that others submitted in the meantime run on a new thread, until the sequence is empty or
 *       the executor accepts it again. If no thread can be started, the current thread runs these tasks, and its
 *       uncaught exception handler is notified.
 *   <li><b>Recursion.</b> However long the sequence, no task runs inside another. An executor that runs tasks on the
 *       calling thread runs the task of the caller, and the tasks that this task submits to the sequence; tasks of
 *       other callers run on a thread of their own.
 * </ul>
 *
 * <p>To wait for all tasks that were submitted so far, submit one more task and wait for it:
 * {@code CompletableFuture.runAsync(() -> {}, serial).join()}. A task of the sequence must not do so: it would wait for
 * itself.
 *
 * <p>Memory consistency effects: actions in a thread before it submits a task <i>happen-before</i> the task starts, and
 * actions of a task <i>happen-before</i> the next task starts.
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
     * Creates a sequence.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}. It must outlive the
     *     sequence: if it drops a {@link Runnable}, as a pool does in {@code shutdownNow} or with a
     *     {@code DiscardPolicy}, the sequence stalls, and later calls of {@code execute} return normally but run
     *     nothing. To run the tasks that are left, run the dropped {@link Runnable}. When the executor is full, its
     *     {@code execute} must not wait but throw; for an executor that waits, see {@link #untilEmpty}
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
     * Creates a sequence that keeps its thread as long as it has tasks, instead of giving it back after a turn. This is
     * for an executor whose {@code execute} waits when it is full: if threads of that executor called {@code execute}
     * at the end of a turn, they could all wait for room that only they can make.
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
     * @throws RuntimeException the exception of the underlying executor if it rejects the task
     * @throws IllegalArgumentException if {@code task} is the future of an earlier submission, and not complete; those
     *     of a completion service are accepted
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
                // the task has run nevertheless, so its submitter must not get an exception
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

    /** Finds another thread for accepted tasks. */
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

    /** Returns the underlying executor, and whether this sequence has tasks. */
    @Override
    public String toString() {
        return "SerialExecutor[" + executor + ", " + (last == null ? "idle" : "busy") + "]";
    }

    /** A task that its submitter passes to the executor, which may run it inline. */
    private static final class Submitted extends Offer {

        /** While this task runs inline: the tasks behind it that it has submitted from its own thread. */
        private @Nullable ArrayDeque<Link> own;

        Submitted(Link link) {
            super(link);
        }

        /**
         * Returns the tasks that may run on the current thread, inside its submission to a sequence; null if none may.
         */
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
     * A task, and the link behind it. A task may be handed over more than once. The thread that takes it runs it, and
     * goes on with the tasks behind it. Two threads compete by compare-and-set for the last link:
     *
     * <pre>
     *   no next ──▶ a next one  by its submitter, who need not do more
     *   no next ──▶ END         by the thread that has run the task: the next submitter has to find a thread
     * </pre>
     *
     * <p>Linking each task to the one before it, so that no thread waits, is an idea of Jeff Hain's, in an answer to
     * the author of http-kit on the concurrency-interest list.
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

        /** Null only in {@link #END}. */
        private final @Nullable SerialExecutor sequence;

        private volatile @Nullable Runnable task;
        private volatile @Nullable Link next;

        Link(@Nullable SerialExecutor sequence, @Nullable Runnable task) {
            this.sequence = sequence;
            // a plain write is enough: the exchange of the last link publishes this one
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
         * Runs the task of this link, unless another thread does, and then the tasks behind it, for a turn.
         *
         * @param own the tasks behind it that may run on this thread; null if all may
         */
        void serve(@Nullable ArrayDeque<Link> own) {
            SerialExecutor owner = Objects.requireNonNull(sequence);
            Turn.Clock clock = new Turn.Clock();
            // an interrupt of a caller that runs tasks inline is not meant for these tasks
            boolean interrupted = Thread.interrupted();
            Link link = this;
            // another thread may have taken the task: a pool may run a task although it has rejected it
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

        /**
         * Returns whether the current thread, which has run the task before this one, also runs this one. If not, this
         * task was handed to another thread.
         */
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
            // a thread refers to the first link that it serves, and this link must not keep the links behind it
            // reachable
            next = END;
            return following;
        }
    }
}
