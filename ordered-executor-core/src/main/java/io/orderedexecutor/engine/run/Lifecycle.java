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
 * The life of an executor from its first task to its end, and the threads that wait for its tasks, or for that end:
 *
 * <pre>
 *   RUNNING ──▶ SHUT_DOWN             by shutdown or close: tasks are no longer accepted, parked ones fail
 *   RUNNING, SHUT_DOWN ──▶ STOPPING   by shutdownNow: no task starts any more, waiting ones are taken back, and
 *                                     running ones are interrupted or cancelled
 *   SHUT_DOWN, STOPPING ──▶ TERMINATED  when the shutdown has done its work, and all bins are closed and empty
 * </pre>
 *
 * <p>In any phase, an Error in the middle of a change breaks the executor: it accepts no more tasks, and no thread
 * waits for ever for room, or for the end of the executor. {@link Service} does the work of a shutdown.
 * {@link Completion} knows an executor by its object of this class.
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

    /** Written under the monitor; never moves back. */
    private volatile Phase phase = Phase.RUNNING;

    /** Whether a shutdown has done its work: the executor does not terminate before. */
    private volatile boolean closed;

    @GuardedBy("this")
    private boolean terminating;

    private volatile boolean terminated;

    /** Written under the monitor. */
    private volatile boolean toldBroken;

    /** Made early: if the stack is exhausted at the first use of a lambda, the lambda can never be used. */
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

    private synchronized void enter(Phase next) {
        if (phase.compareTo(next) < 0) {
            phase = next;
        }
    }

    /** Called when a shutdown has done its work. */
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

    /** Reports once that an Error has broken this executor; on a new thread, since this one may have no stack left. */
    void tellIfBroken() {
        if (isBroken() && !toldBroken) {
            try {
                Platform platform = orders.platform();
                platform.start(platform.threadFactory(name + "-broken", null).newThread(tellsBroken));
            } catch (Throwable noThread) {
                // the next thread that calls this tries again
            }
        }
    }

    /** Wakes the threads whose wait would never end, and reports the Error. */
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

    // waiting threads

    /** Waits for a condition that the end of tasks makes true. */
    public boolean awaitIdle(BooleanSupplier idle, Duration limit) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(limit, "limit"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // return at once if idle, even with no time left: a later look may meet a new task
        if (holds(idle)) {
            return true;
        }
        boolean mayWait = nanos > 0 && !isInCall(true);
        if (mayWait) {
            Completion.followAll(this);
        }
        // isInsideTask looks at all places that run, so it is called last
        return closedOrders.await(() -> holds(idle), mayWait && !isInsideTask() ? nanos : 0);
    }

    /** Whether a condition holds; false if it cannot be checked, since an Error keeps a bin taken for good. */
    private boolean holds(BooleanSupplier condition) {
        tellIfBroken();
        try {
            return condition.getAsBoolean();
        } catch (IllegalStateException stuck) {
            if (isBroken() && stuck.getCause() instanceof Error) {
                return false;
            }
            // thrown by the equals or hashCode of a key
            throw stuck;
        }
    }

    /** Called when orders are empty, or a bin has no barrier left: threads that wait for idleness check again. */
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
     * Waits for the end of the executor, however often the thread is interrupted. Returns early if the executor can
     * never end, or cannot end while this thread waits.
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

    /**
     * Whether the executor can terminate while this thread waits for that. First does the follow-ups of futures that
     * this thread has completed.
     */
    private boolean mayAwaitEnd() {
        if (isInCall(false)) {
            return false;
        }
        Completion.followAll(this);
        return !isInsideTask();
    }

    /** Whether the executor has terminated, or never will. */
    private boolean isOver() {
        tellIfBroken();
        return terminated || isBroken();
    }

    /**
     * Whether the calling thread runs a task of this executor, or completes the future of a place before the place
     * leaves. Either way, the place cannot leave while the thread waits.
     */
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
     * A call on the current thread that completes futures, and must return before the executor can terminate. If a
     * dependent action in the call waited for the termination, it would wait for ever. So methods that wait for the
     * termination return at once there, as they do in a task.
     *
     * @param ends whether the call also ends tasks that still stand in orders; then methods that wait for an idle key
     *     or executor return at once, too
     */
    record Call(Lifecycle executor, boolean ends, @Nullable Call outer) {
        private static final ThreadLocal<@Nullable Call> INNERMOST = new ThreadLocal<>();

        void end() {
            // set to null, not removed: to set a removed value again allocates
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
