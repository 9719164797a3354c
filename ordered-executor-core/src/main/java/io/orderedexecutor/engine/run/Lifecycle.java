package io.orderedexecutor.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.Completion;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of an executor from its first task to its end, and those who wait for its tasks, or for that end:
 *
 * <pre>
 *   RUNNING ──▶ SHUT_DOWN             by shutdown or close: no place is taken any more, what is parked fails
 *   RUNNING, SHUT_DOWN ──▶ STOPPING   by shutdownNow: nothing starts any more, what waits is taken back, what runs is
 *                                     interrupted
 *   SHUT_DOWN, STOPPING ──▶ TERMINATED  when what the shutdown does is done, and all bins are closed and empty
 * </pre>
 *
 * <p>In any phase, an Error in the middle of a change breaks the executor: it accepts no more tasks, and nobody waits
 * for ever. {@link Service} does to the tasks what a shutdown means for them. An object of this class stands for the
 * executor where dependent actions run: see {@link Completion}.
 */
public final class Lifecycle {
    private enum Phase {
        RUNNING,
        SHUT_DOWN,
        STOPPING
    }

    private final String name;
    private final Reports reports;
    private final Orders orders;
    private final Survey survey;

    private final Rooms rooms;
    private final Signal closedOrders;
    private final Signal termination;
    private final Runnable onTerminated;

    /** Moved forward under the monitor, read by all. */
    private volatile Phase phase = Phase.RUNNING;

    /** Whether a shutdown has done what it does: nothing terminates before. */
    private volatile boolean closed;

    @GuardedBy("this")
    private boolean terminating;

    private volatile boolean terminated;

    /** Written under the monitor. */
    private volatile boolean toldBroken;

    /** Made early: a lambda that is used for the first time where the stack ends can never be used. */
    private final Runnable tellsBroken = this::tellBroken;

    Lifecycle(String name, Reports reports, Orders orders, Survey survey, Rooms rooms, Runnable onTerminated) {
        this.name = name;
        this.reports = reports;
        this.orders = orders;
        this.survey = survey;
        this.rooms = rooms;
        this.onTerminated = onTerminated;
        this.closedOrders = new Signal(orders.platform());
        this.termination = new Signal(orders.platform());
    }

    // phases

    public boolean isShutdown() {
        return phase != Phase.RUNNING;
    }

    /** Whether no task may start any more. */
    boolean isStopping() {
        return phase == Phase.STOPPING;
    }

    public boolean isTerminated() {
        return terminated;
    }

    void shutDown() {
        enter(Phase.SHUT_DOWN);
    }

    void stop() {
        enter(Phase.STOPPING);
    }

    /** Moves forward; nobody goes back. */
    private synchronized void enter(Phase next) {
        if (phase.compareTo(next) < 0) {
            phase = next;
        }
    }

    /** A shutdown has done what it does. */
    void setClosed() {
        closed = true;
        terminateIfDone();
    }

    void terminateIfDone() {
        if (closed && orders.isOver() && beginsToTerminate()) {
            try {
                onTerminated.run();
            } finally {
                terminated = true;
                termination.signal();
            }
        }
    }

    private synchronized boolean beginsToTerminate() {
        boolean first = !terminating;
        terminating = true;
        return first;
    }

    // an Error of ours

    /** Whether an Error has broken this executor. */
    public boolean isBroken() {
        return orders.broken() != null;
    }

    /** Throws if an Error has broken this executor. */
    public void requireSound() {
        Error failure = orders.broken();
        if (failure != null) {
            tellIfBroken();
            reports.count(Count.SHUTDOWN);
            throw new RejectedExecutionException(orders.messageIfBroken(), failure);
        }
    }

    /** If an Error has broken this executor, that is told, once, by a thread that has stack. */
    void tellIfBroken() {
        if (isBroken() && !toldBroken) {
            try {
                Platform platform = orders.platform();
                platform.start(platform.threadFactory(name + "-broken", null).newThread(tellsBroken));
            } catch (Throwable noThread) {
                // the next one who comes here tries again
            }
        }
    }

    /** Wakes those who would wait in vain, and tells it. */
    private void tellBroken() {
        if (beginsToTell()) {
            termination.signal();
            closedOrders.signal();
            rooms.close();
            UncaughtFailures.report(orders.brokenException());
        }
    }

    private synchronized boolean beginsToTell() {
        boolean first = !toldBroken;
        toldBroken = true;
        return first;
    }

    // those who wait

    /**
     * Waits until a condition holds that only the end of tasks can bring about.
     *
     * @param hurry lets begin what waits for more
     */
    public boolean awaitIdle(Runnable hurry, BooleanSupplier idle, Duration limit) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(limit, "limit"));
        holds(() -> {
            hurry.run();
            return true;
        });
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // an executor that was idle once must not be asked again, with no time left: a task may have come since
        if (holds(idle)) {
            return true;
        }
        boolean mayWait = nanos > 0 && !isInCall(true);
        if (mayWait) {
            Completion.followAll(this);
        }
        // whether this is a task is asked last: it is a look at all places
        return closedOrders.await(() -> holds(idle), mayWait && !isInsideTask() ? nanos : 0);
    }

    /** Whether a condition holds; not if an Error has left taken what it looks at. */
    private boolean holds(BooleanSupplier condition) {
        tellIfBroken();
        try {
            return condition.getAsBoolean();
        } catch (IllegalStateException stuck) {
            if (isBroken() && stuck.getCause() instanceof Error) {
                return false;
            }
            // a key's own
            throw stuck;
        }
    }

    /** Orders were closed: those who wait until nothing stands somewhere look again. */
    void onOrdersClosed() {
        closedOrders.signal();
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (timeout > 0 && mayAwaitEnd()) {
            termination.await(this::isOver, unit.toNanos(timeout));
        }
        return isTerminated();
    }

    /**
     * Waits for the end, however often the thread is interrupted.
     *
     * @param onInterrupt called once, at the first interrupt
     */
    void awaitEnd(Runnable onInterrupt) {
        if (!mayAwaitEnd()) {
            return;
        }
        boolean interrupted = false;
        for (boolean done = false; !done; ) {
            try {
                done = termination.await(this::isOver, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    onInterrupt.run();
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the end may come while the calling thread waits for it; does first what it can do for that. */
    private boolean mayAwaitEnd() {
        if (isInCall(false)) {
            return false;
        }
        Completion.followAll(this);
        return !isInsideTask();
    }

    /** Whether it is terminated, or will never be. */
    private boolean isOver() {
        tellIfBroken();
        return terminated || isBroken();
    }

    /** Whether the calling thread is running a task, which cannot end while it waits here. */
    public boolean isInsideTask() {
        Thread here = Thread.currentThread();
        for (Place place : survey.active()) {
            if (place.thread() == here) {
                return true;
            }
        }
        return false;
    }

    /**
     * A call of the current thread that completes futures, and that the end of the executor waits for. A dependent
     * action that waits for that end in turn would wait for ever: it does not wait, as a task does not.
     *
     * @param ends whether tasks end by it that stand in orders, and an idle executor waits for it, too
     */
    record Call(Lifecycle executor, boolean ends, @Nullable Call outer) {
        private static final ThreadLocal<@Nullable Call> INNERMOST = new ThreadLocal<>();

        void end() {
            // null stays as the value, since to set one anew allocates
            INNERMOST.set(outer);
        }
    }

    Call beginCall(boolean ends) {
        Call call = new Call(this, ends, Call.INNERMOST.get());
        Call.INNERMOST.set(call);
        return call;
    }

    private boolean isInCall(boolean ends) {
        for (Call call = Call.INNERMOST.get(); call != null; call = call.outer) {
            if (call.executor == this && (call.ends || !ends)) {
                return true;
            }
        }
        return false;
    }
}
