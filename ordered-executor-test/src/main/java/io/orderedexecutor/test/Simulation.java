package io.orderedexecutor.test;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.NumberedSequencerBuilder;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.engine.pool.PlatformFuture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a test in which exactly one thread runs at a time. The seed determines which thread this is. The threads
 * of a simulation are the thread of the test method, the threads of its ordered executors, and the threads that it
 * starts with {@link #thread}.
 *
 * <h2>What is part of a simulation</h2>
 *
 * <p>All ordered executors that a thread of the simulation builds, in the test or in the code under test; and executors
 * that were built earlier, by Spring for instance, if they were not used earlier. They get the threads, timers and
 * clock of the simulation. A thread pool that was given to a builder is replaced by threads of the simulation. If any
 * other executor was given and runs a task on a thread that is not part of the simulation, the test fails and names the
 * executor. A {@link SerialExecutor} has no builder, and runs on the executor that it was given, whatever its threads
 * are: use {@link #serial}, or give it {@link #executor}.
 *
 * <h2>Yield points</h2>
 *
 * <p>Another thread may go on when a task is submitted, was queued, starts, ends, fails, or is cancelled or dropped,
 * when a thread starts or waits, and at {@link #yieldPoint}. Between these points, no other thread runs; data races
 * within a task are not found. A {@link SerialExecutor} that is busy, and a sequencer, add none: put a yield point of
 * your own before and after their calls.
 *
 * <h2>Waiting</h2>
 *
 * <p>The futures and methods of ordered executors wait in the simulation. So do {@link #await}, {@link #sleep}, the
 * futures that a simulation makes, and the futures that methods of all these futures return, such as {@code thenApply}.
 * A thread that blocks in another way ({@code Thread.sleep}, a latch, a future of the JDK's own such as that of
 * {@code CompletableFuture.allOf}) keeps all other threads from running: the test fails with the stack of the blocked
 * thread, after {@link SimulationTest#blockedAfter} seconds.
 *
 * <h2>Time</h2>
 *
 * <p>Time stands still while any thread can go on, and then moves to the end of the next timer or wait. Pauses before a
 * retry, leases and time-outs cost no real time.
 *
 * <h2>Failures</h2>
 *
 * <p>A run fails if the test method or a thread throws, if a task throws an {@link AssertionError} or fails without a
 * future that reports the failure, if threads wait for something that can never happen, or if at the end a task was
 * lost, has run twice or overlapped with another one of its stripe.
 *
 * <p>To be used by the threads of the simulation only.
 */
public final class Simulation {

    /** The code that a thread of the simulation runs. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs the code.
         *
         * @throws Exception to fail the test
         */
        void run() throws Exception;
    }

    private final Scheduler scheduler;

    Simulation(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    private SimulatedThread me() {
        SimulatedThread me = SimulatedThread.current();
        if (me == null || me.scheduler != scheduler) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' is not part of this simulation; start it with simulation.thread(...)");
        }
        return me;
    }

    // executors

    /**
     * Returns a builder for a striped executor with this name. Executors from {@code StripedExecutor.builder()} are
     * part of the simulation, too.
     *
     * @param name the name of the executor
     * @return its builder
     */
    public StripedExecutorBuilder striped(String name) {
        return StripedExecutor.builder().name(name);
    }

    /**
     * Returns a builder for a grouped executor with this name.
     *
     * @param name the name of the executor
     * @return its builder
     */
    public GroupedExecutorBuilder grouped(String name) {
        return GroupedExecutor.builder().name(name);
    }

    /**
     * Returns a builder for an ordered output executor with this name.
     *
     * @param name the name of the executor
     * @return its builder
     */
    public OrderedOutputExecutorBuilder outputs(String name) {
        return OrderedOutputExecutor.builder().name(name);
    }

    /**
     * Returns a builder for a sequence of tickets.
     *
     * @return its builder
     */
    public TicketSequencerBuilder tickets() {
        return TicketSequencer.builder();
    }

    /**
     * Returns a builder for a sequence of tickets whose numbers come from outside.
     *
     * @param first the first number, at least 0
     * @return its builder
     * @throws IllegalArgumentException if {@code first} is negative
     */
    public NumberedSequencerBuilder numbers(long first) {
        return NumberedSequencer.builder(first);
    }

    /**
     * Creates a serial executor on threads of the simulation.
     *
     * @return the executor
     */
    public SerialExecutor serial() {
        return new SerialExecutor(executor());
    }

    /**
     * Creates an executor that runs each task on a new thread of the simulation, for code that needs an
     * {@link Executor}. Its {@code execute} is a yield point, so a thread must not hold a lock there that another
     * thread may want.
     *
     * @return the executor
     */
    public Executor executor() {
        return new SimulatedExecutor(scheduler, "pool");
    }

    // threads

    /**
     * Starts a thread: a caller of the code under test.
     *
     * @param name the name of the thread in reports
     * @param body the code that it runs; an exception of this code fails the test
     * @return a future that completes when the body has ended; waits for this future are part of the simulation
     */
    public CompletableFuture<@Nullable Void> thread(String name, Body body) {
        SimulatedThread me = me();
        Objects.requireNonNull(body, "body");
        CompletableFuture<@Nullable Void> end = new PlatformFuture<>();
        scheduler.start(scheduler.names().unique(Objects.requireNonNull(name, "name")), () -> {
            try {
                body.run();
                end.complete(null);
            } catch (Throwable thrown) {
                scheduler.failUnlessInjected(thrown);
                end.completeExceptionally(thrown);
            }
        });
        scheduler.letOthersGoOn(me);
        return end;
    }

    /**
     * Creates a future that the simulation completes at a time that the schedule decides, as the answer of a remote
     * system.
     *
     * @param name the name of the answer in reports
     * @param value the answer
     * @param <T> its type
     * @return the future; with {@link Fault#EXCEPTION}, it may fail with an {@link InjectedFault}
     */
    public <T extends @Nullable Object> CompletableFuture<T> stage(String name, T value) {
        CompletableFuture<T> answer = new PlatformFuture<>();
        scheduler.start(scheduler.names().unique(Objects.requireNonNull(name, "name")), () -> {
            try {
                yieldPoint("before the answer");
                answer.complete(value);
            } catch (InjectedFault fault) {
                answer.completeExceptionally(fault);
            } finally {
                // if the run is given up here: an executor that outlives the run would wait for this answer for ever,
                // unless its failure policy retries or parks the task, which nothing can end any more
                answer.completeExceptionally(new SimulationAborted());
            }
        });
        scheduler.letOthersGoOn(me());
        return answer;
    }

    /**
     * Shuts an executor down at a time that the schedule decides, on a thread of its own.
     *
     * @param executor the executor, which rejects later submissions
     * @param now whether queued tasks are removed and running ones interrupted
     */
    public void shutDownSometime(OrderedExecutor executor, boolean now) {
        Objects.requireNonNull(executor, "executor");
        var unused = thread("shutdown of " + executor.name(), () -> {
            if (now) {
                executor.shutdownNow();
            } else {
                executor.shutdown();
            }
        });
    }

    /**
     * Lets faults occur from now on, wherever they can: each in about one of twelve cases.
     *
     * @param faults the faults that may occur
     */
    public void faults(Fault... faults) {
        scheduler.faults().want(List.of(faults));
    }

    /**
     * Allows tasks without a future, and tasks of {@link #executor()}, to throw exceptions of this type. By default,
     * such an exception fails the run. With {@link java.util.concurrent.TimeoutException}, reservations may also be
     * held until the end of their lease.
     *
     * @param type the type of the exceptions
     */
    public void allowUncaught(Class<? extends Throwable> type) {
        me();
        scheduler.allowUncaught(Objects.requireNonNull(type, "type"));
    }

    // where other threads may go on

    /**
     * Lets any other thread go on at this point, for instance between a read and a write that relies on the read value.
     *
     * @param where the name of this point in reports
     */
    public void yieldPoint(String where) {
        SimulatedThread me = me();
        scheduler.note(me, Objects.requireNonNull(where, "where"), null, null);
        scheduler.letOthersGoOn(me);
        scheduler.endIfAborting();
        scheduler.faults().before(me, "at '" + where + "'");
    }

    /**
     * Makes a choice for the test, as part of the schedule: the choice is replayed and shrunk with the schedule.
     *
     * @param bound more than zero
     * @return from zero to {@code bound - 1}; small numbers make simple schedules
     * @throws IllegalArgumentException if {@code bound} is not positive
     */
    public int choose(int bound) {
        if (bound < 1) {
            throw new IllegalArgumentException("bound is " + bound + ", but must be at least 1");
        }
        me();
        return scheduler.number(bound);
    }

    /**
     * Waits until a condition is true.
     *
     * @param name the name of the condition in reports
     * @param condition evaluated by any thread of the simulation, any number of times; must have no side effect
     */
    public void await(String name, BooleanSupplier condition) {
        scheduler.await(me(), Objects.requireNonNull(name, "name"), condition, Long.MAX_VALUE, false);
    }

    /**
     * Waits for a stage, which need not be a future of an ordered executor or a simulation.
     *
     * @param stage a stage that a thread of the simulation completes
     * @param <T> its type
     * @return its result
     * @throws java.util.concurrent.CompletionException if the stage has failed
     */
    public <T extends @Nullable Object> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        await("a stage", future::isDone);
        return future.join();
    }

    // time

    /**
     * Returns how much time has passed since the start of the run.
     *
     * @return the simulation's time
     */
    public Duration now() {
        me();
        return Duration.ofNanos(scheduler.time().now());
    }

    /**
     * Lets a thread wait for a while.
     *
     * @param time not negative
     * @throws InterruptedException if it is interrupted
     */
    public void sleep(Duration time) throws InterruptedException {
        SimulatedThread me = me();
        scheduler.await(me, "time to pass", SimulatedThread.NEVER, checked(time), true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /**
     * Lets time pass, and runs all timers and threads that are due in this time.
     *
     * @param time not negative; with zero, all threads run as far as they can without the passage of time
     */
    public void advance(Duration time) {
        SimulatedThread me = me();
        scheduler.await(me, "time to pass", SimulatedThread.NEVER, checked(time), false);
        scheduler.await(me, SimulatedThread.Until.REST);
    }

    private static long checked(Duration time) {
        if (Objects.requireNonNull(time, "time").isNegative()) {
            throw new IllegalArgumentException("time is " + time + ", but must not be negative");
        }
        return time.toNanos();
    }

    /**
     * Waits until no other thread can go on and no timer is left, however much time of the simulation this takes. The
     * end of the test has the same effect: after {@code @AfterEach}, before which threads go on as far as they can
     * without the passage of time. Threads whose conditions do not become true keep waiting.
     */
    public void run() {
        scheduler.await(me(), SimulatedThread.Until.QUIET);
    }

    // what happened

    /**
     * Fails unless each task that was accepted so far has ended, or was cancelled or dropped, and none has run twice,
     * apart from retries.
     *
     * @throws AssertionError if a task was lost, or has run more than once
     */
    public void assertNothingLost() {
        failOn(scheduler.history().findLostOrDoubled());
    }

    /**
     * Fails unless no two tasks of one stripe have run at the same time so far.
     *
     * @throws AssertionError if two tasks have
     */
    public void assertExclusion() {
        failOn(scheduler.history().findOverlap());
    }

    /**
     * Fails unless the tasks of a stripe have started in the order of their submission so far.
     *
     * @param stripe a stripe of any executor of the simulation; tasks of reservations are not checked
     * @throws AssertionError if a later task has started before an earlier one
     */
    public void assertInOrder(Object stripe) {
        failOn(scheduler.history().findDisorder(Objects.requireNonNull(stripe, "stripe")));
    }

    /**
     * Fails unless all tasks have ended, and no thread except the current one is runnable or waiting. Idle workers may
     * wait.
     *
     * @throws AssertionError if a task has not ended or has run more than once, or if another thread, except an idle
     *     worker, is runnable or waiting
     */
    public void assertIdle() {
        assertNothingLost();
        failOn(scheduler.threads().findActive(me()));
    }

    private static void failOn(@Nullable String mistake) {
        if (mistake != null) {
            throw new AssertionError(mistake);
        }
    }
}
