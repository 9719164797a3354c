package io.orderedexecutor;

import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
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
 *       run. A rejection loses no accepted task: the current thread continues with the tasks that others submitted in
 *       the meantime, or that are left after a turn.
 *   <li><b>Recursion.</b> However long the sequence and whatever the executor (one that runs tasks on the calling
 *       thread, too), no task runs inside another.
 * </ul>
 *
 * <p>Memory consistency effects: actions in a thread before it submits a task <i>happen-before</i> the task starts, and
 * what the task does <i>happens-before</i> the next one starts.
 *
 * <p>All methods may be called from any thread, tasks included.
 */
public final class SerialExecutor implements Executor {
    private static final VarHandle SEQUENCE;

    static {
        try {
            SEQUENCE = MethodHandles.lookup().findVarHandle(SerialExecutor.class, "sequence", Sequence.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Executor executor;

    private final Turn turn;

    /** The tasks that have not ended; null when idle. Moved by compare-and-set. */
    private volatile @Nullable Sequence sequence;

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
        Runnable plain = TaskFuture.asPlain(Objects.requireNonNull(task, "task"));
        Link link = new Link(plain);
        for (; ; ) {
            Sequence open = sequence;
            if (open != null && open.place(link, Sequence.UNLIMITED) == Placed.LINKED) {
                Serving.adoptIfUnattended(open);
                return;
            }
            Sequence opened = new Sequence(this, link);
            try {
                if (SEQUENCE.compareAndSet(this, open, opened)) {
                    Serving.handOver(opened, link);
                    return;
                }
            } catch (Throwable failure) {
                // a write and no call, as there may be no stack for any
                opened.unattended = true;
                throw failure;
            }
        }
    }

    /** Returns what this sequence runs on, and whether it has tasks. */
    @Override
    public String toString() {
        Sequence open = sequence;
        return "SerialExecutor[" + executor + ", " + (open == null ? "idle" : open.queued() + " queued") + "]";
    }

    /** The strand of a serial executor: there only while there are tasks. */
    private static final class Sequence extends Strand {
        Sequence(SerialExecutor owner, Link first) {
            super(
                    new Host(new BorrowedWorkers(owner.executor, owner.turn, Platform.of("serial"))),
                    owner,
                    first,
                    READY,
                    false,
                    false);
        }

        @Override
        public String toString() {
            return key.toString();
        }

        @Override
        public void run() {
            Serving.run(this);
        }

        @Override
        public void onEnd(boolean mayStay) {
            SEQUENCE.compareAndSet((SerialExecutor) key, this, null);
        }
    }
}
