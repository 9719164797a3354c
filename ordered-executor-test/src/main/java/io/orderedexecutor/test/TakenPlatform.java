package io.orderedexecutor.test;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.Platform;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The clock, timers and threads of an executor that was built after {@link TakeOver#begin}. A thread of a simulation
 * uses those of its simulation, and any other thread those of the JDK. So an executor that lives longer than one run,
 * as a Spring bean does, is part of each simulation that uses it.
 */
final class TakenPlatform extends Platform {
    private static final Pattern NUMBERED = Pattern.compile("(.*-executor)-\\d+");
    private static final int THREADS = 4;

    private final String name;

    /**
     * The simulation that built this executor; while it runs, only its threads may use the executor. Null if no
     * simulation built it.
     */
    private final @Nullable WeakReference<Scheduler> owner;

    /**
     * Threads of the executor that were started outside of simulations, and may have ended. Safe for use by any thread.
     */
    private final Set<Thread> outside = ConcurrentHashMap.newKeySet();

    /**
     * The last simulation that has submitted a task or used a reservation. Written by threads of that simulation, read
     * by any thread.
     */
    private volatile @Nullable Scheduler simulation;

    /** Shuts the executor down. Written once, before the executor is published. */
    private Runnable shutdown = () -> {};

    TakenPlatform(String name, @Nullable Scheduler owner) {
        var numbered = NUMBERED.matcher(name);
        // the number in a default name counts all executors of the JVM, and differs from run to run
        this.name = owner != null && numbered.matches() ? numbered.group(1) : name;
        this.owner = owner == null ? null : new WeakReference<>(owner);
    }

    /** Returns the name of the executor. */
    String name() {
        return name;
    }

    /** Returns the name of the executor in a simulation, in which no other executor has this name. */
    String nameIn(Scheduler scheduler) {
        return scheduler.nameOf(this, name);
    }

    /** Returns the last simulation that has used the executor, if it goes on. */
    @Nullable
    Scheduler running() {
        Scheduler last = simulation;
        return last == null || last.isOver() || last.hasFailed() ? null : last;
    }

    private @Nullable SimulatedThread me() {
        SimulatedThread me = SimulatedThread.current();
        if (me == null && owner != null) {
            Scheduler built = owner.get();
            if (built != null && !built.isOver()) {
                throw failByOutsider(built);
            }
        }
        return me;
    }

    /** Fails a simulation whose executor the current thread uses without being part of it. */
    private Outsider failByOutsider(Scheduler scheduler) {
        Outsider outsider = Outsider.uses(name);
        scheduler.fail(outsider);
        return outsider;
    }

    // time

    @Override
    public long nanoTime() {
        SimulatedThread me = SimulatedThread.current();
        return me == null ? super.nanoTime() : me.scheduler.time().nanoTime();
    }

    @Override
    public Runnable scheduleAsync(long nanos, Runnable action) {
        SimulatedThread me = me();
        return me == null ? super.scheduleAsync(nanos, action) : schedule(me.scheduler, nanos, action);
    }

    private static Runnable schedule(Scheduler scheduler, long nanos, Runnable action) {
        Runnable forgets = scheduler.time().schedule(nanos, "timer", action);
        return () -> {
            SimulatedThread me = SimulatedThread.current();
            // only a thread of the simulation may change its timers; if the timer stays, its action will have no effect
            if (me != null && me.scheduler == scheduler) {
                forgets.run();
            }
        };
    }

    @Override
    public int random() {
        SimulatedThread me = SimulatedThread.current();
        return me == null ? super.random() : me.scheduler.nextHash();
    }

    // parked threads

    /** Returns an endless time in a simulation, so that the simulation finds threads that wait for each other. */
    @Override
    public long patienceNanos() {
        return SimulatedThread.current() == null ? super.patienceNanos() : Long.MAX_VALUE;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        SimulatedThread me = SimulatedThread.current();
        if (me == null) {
            super.parkNanos(blocker, nanos);
            return;
        }
        park(me, "a ticket", nanos);
    }

    @Override
    public void restNanos(Object blocker, long nanos) {
        SimulatedThread me = SimulatedThread.current();
        if (me == null) {
            super.parkNanos(blocker, nanos);
            return;
        }
        me.resting = true;
        try {
            park(me, "work", nanos);
        } finally {
            me.resting = false;
        }
    }

    private static void park(SimulatedThread me, String name, long nanos) {
        try {
            me.scheduler.await(me, name, () -> me.permit, nanos, true);
        } finally {
            me.permit = false;
        }
    }

    @Override
    public void unpark(Thread thread) {
        SimulatedThread me = me();
        SimulatedThread parked = me == null ? null : me.scheduler.threads().find(thread);
        if (parked != null) {
            parked.permit = true;
            return;
        }
        if (me != null && thread.isAlive()) {
            me.scheduler.fail(Outsider.serves(name, thread));
        }
        super.unpark(thread);
    }

    @Override
    public Condition newCondition(Lock lock) {
        return new TakenCondition(lock);
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // callers loop
    public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
        SimulatedThread me = SimulatedThread.current();
        return me == null
                ? super.awaitNanos(lock, condition, nanos)
                : ((TakenCondition) condition).await(lock, me, nanos);
    }

    // started threads

    @Override
    public ThreadFactory threadFactory(String executor, @Nullable ThreadFactory given) {
        ThreadFactory factory = super.threadFactory(executor, given);
        return body -> {
            SimulatedThread me = me();
            if (me == null) {
                return factory.newThread(body);
            }
            Scheduler scheduler = me.scheduler;
            SimulatedThread made =
                    new SimulatedThread(scheduler, scheduler.names().numbered(name), given != null);
            Thread thread = factory.newThread(() -> made.run(body));
            if (thread != null) {
                if (given == null) {
                    thread.setDaemon(true);
                }
                if (given == null || thread.getUncaughtExceptionHandler() instanceof ThreadGroup) {
                    // the application has set no handler of its own
                    thread.setUncaughtExceptionHandler((any, thrown) -> scheduler.failUncaught(thrown));
                }
                made.setThread(thread);
                scheduler.threads().made(made);
            }
            return thread;
        };
    }

    @Override
    public int processors() {
        return SimulatedThread.current() == null ? super.processors() : THREADS;
    }

    @Override
    public Executor borrowed(String executor, Executor given) {
        return SteppedExecutor.steps(given) ? given : new BorrowedExecutor(given);
    }

    @Override
    public void start(Thread thread) {
        SimulatedThread me = me();
        if (me == null) {
            super.start(thread);
            outside.removeIf(ended -> !ended.isAlive());
            outside.add(thread);
            return;
        }
        SimulatedThread started = me.scheduler.threads().find(thread);
        if (started == null) {
            me.scheduler.fail(new IllegalStateException(
                    "Thread '" + thread.getName() + "' of executor '" + name + "' is not part of the simulation"));
            super.start(thread);
            return;
        }
        super.start(thread);
        if (started.awaitArrival()) {
            me.scheduler.threads().started(started);
        }
    }

    // tasks

    @Override
    public List<TaskListener> listeners(String executor, List<TaskListener> given) {
        List<TaskListener> all = new ArrayList<>(given);
        all.add(new TakenListener(this));
        return all;
    }

    @Override
    public void built(Runnable shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public void beforeSubmission(Runnable task) {
        SimulatedThread me = me();
        if (me == null) {
            Scheduler running = running();
            if (running != null) {
                throw failByOutsider(running);
            }
            return;
        }
        me.scheduler.endIfAborting();
        simulation = me.scheduler;
        failIfThreadsAreOutside(me.scheduler);
        String name = nameIn(me.scheduler);
        me.scheduler.note(me, "submits to", name, null);
        me.scheduler.letOthersGoOn(me);
        Faults faults = me.scheduler.faults();
        faults.maybeCancel(me);
        if (faults.occurs(Fault.REJECTION)) {
            me.scheduler.note(me, "is rejected by the simulation in", name, null);
            throw new RejectedExecutionException("rejected by the simulation");
        }
        if (owner != null && faults.occurs(Fault.SHUTDOWN)) {
            me.scheduler.note(me, "is shut down by the simulation:", name, null);
            shutdown.run();
        }
        me.submitting = task instanceof Future<?> future ? future : null;
    }

    @Override
    public void beforeFilled(Object task) {
        SimulatedThread me = SimulatedThread.current();
        if (me != null) {
            me.filling = task;
            simulation = me.scheduler;
            return;
        }
        Scheduler running = running();
        if (running != null) {
            failByOutsider(running); // not thrown: the place is filled
        }
    }

    /**
     * Fails the run if a thread of this executor was started outside of simulations. Such a thread could run the task
     * outside of the simulation; if it is parked, nothing would wake it.
     */
    private void failIfThreadsAreOutside(Scheduler scheduler) {
        for (Thread thread : outside) {
            if (thread.isAlive()) {
                Outsider used = Outsider.serves(name, thread);
                scheduler.fail(used);
                throw used;
            }
        }
    }

    @Override
    public void beforeTask() {
        SimulatedThread me = SimulatedThread.current();
        if (me != null) {
            me.scheduler.faults().before(me, "before the task");
        }
    }

    /**
     * Stands for an executor that was given to a builder, and passes work to it. But if a thread of a simulation
     * submits work, and the given executor is a pool, the work runs on a thread of the simulation. Any other executor
     * must run the work on a thread of the simulation; otherwise the run fails.
     */
    private final class BorrowedExecutor implements Executor {
        private final Executor given;

        BorrowedExecutor(Executor given) {
            this.given = given;
        }

        @Override
        public void execute(Runnable work) {
            SimulatedThread me = me();
            if (me == null) {
                given.execute(() -> InTurn.aside(work));
            } else if (isPool()) {
                me.scheduler.start(me.scheduler.names().numbered(name), work);
            } else {
                HandOvers handOvers = me.scheduler.handOvers();
                handOvers.handedOver(nameIn(me.scheduler), work);
                boolean before = me.handsOver;
                me.handsOver = true;
                try {
                    given.execute(() -> run(work, me.scheduler));
                } catch (Throwable refused) {
                    handOvers.forget(work);
                    throw refused;
                } finally {
                    me.handsOver = before;
                }
            }
        }

        private void run(Runnable work, Scheduler scheduler) {
            SimulatedThread here = SimulatedThread.current();
            if (here == null) {
                scheduler.fail(new IllegalStateException("Executor '" + name + "' runs tasks on "
                        + Thread.currentThread() + " of " + given
                        + ", which is not part of the simulation. Give it threads of its own in this test, or"
                        + " simulation.executor()"));
                InTurn.aside(work);
                return;
            }
            scheduler.handOvers().forget(work);
            // the work may run on the thread that hands it over
            boolean before = here.handsOver;
            here.handsOver = false;
            try {
                InTurn.aside(work);
            } finally {
                here.handsOver = before;
            }
        }

        private boolean isPool() {
            return given instanceof ExecutorService || isOfSpring(given.getClass());
        }

        /**
         * Returns whether a type is an asynchronous executor of Spring. Compares names, since Spring may be missing.
         */
        private static boolean isOfSpring(@Nullable Class<?> type) {
            return type != null
                    && (type.getName().startsWith("org.springframework.core.task.Async")
                            || isOfSpring(type.getSuperclass())
                            || Arrays.stream(type.getInterfaces()).anyMatch(BorrowedExecutor::isOfSpring));
        }

        @Override
        public String toString() {
            return given.toString();
        }
    }
}
