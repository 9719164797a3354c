package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread of a simulation goes on. Exactly one thread has the <em>baton</em> and runs. At a yield point,
 * and when it waits, this thread chooses the next thread and gives it the baton. Time moves when no thread can go on.
 *
 * <p>Only the thread that has the baton uses the state, unless a field says otherwise. A thread that gets the baton
 * sees all writes of the thread that had it.
 */
final class Scheduler {
    /** The number of steps and waits after which a simulation counts as endless. */
    private static final int MOST = 200_000;

    /** The maximum number of steps and waits once all waits end with an error. */
    private static final int MOST_AT_END = 10_000;

    private final Choices choices;
    private final SimulatedThreads threads = new SimulatedThreads();
    private final List<Decision> decisions = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final Names names = new Names();
    private final Names executorNames = new Names();
    private final IdentityHashMap<TakenPlatform, String> nameOfExecutor = new IdentityHashMap<>();
    private final Faults faults = new Faults(this);
    private final HandOvers handOvers = new HandOvers();
    private final History history = new History();
    private final List<Class<? extends Throwable>> allowed = new ArrayList<>();
    private int hashes;

    /**
     * Whether the thread with the baton is evaluating the conditions of waiting threads, which must not give the baton
     * away.
     */
    private boolean asking;

    /**
     * Whether waits and submissions end with an error, since nothing else would end them. Set by the thread that has
     * the baton, or by the thread that watches the run.
     */
    private volatile boolean aborting;

    /** Whether the test has ended, so that workers are to end, too. */
    private boolean ending;

    /** Whether no thread gets the baton any more. Read by any thread. */
    private volatile boolean over;

    /** The first failure; set once, by any thread. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * The thread that has the baton. Written by the thread that gives it away; read by the thread that watches the run.
     */
    private volatile @Nullable SimulatedThread running;

    /** The number of steps and waits, for the thread that watches the run. Written by the thread that has the baton. */
    private volatile long progress;

    private int happenedAtEnd;

    private final SimulatedExecutor async = new SimulatedExecutor(this, "async");

    Scheduler(Choices choices) {
        this.choices = choices;
    }

    /** Runs the asynchronous actions of futures. */
    SimulatedExecutor async() {
        return async;
    }

    // the results of a run

    List<Decision> decisions() {
        return decisions;
    }

    List<Step> steps() {
        return steps;
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    void fail(Throwable thrown) {
        failure.compareAndSet(null, thrown);
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    long progress() {
        return progress;
    }

    @Nullable
    SimulatedThread running() {
        return running;
    }

    History history() {
        return history;
    }

    Faults faults() {
        return faults;
    }

    HandOvers handOvers() {
        return handOvers;
    }

    boolean isOver() {
        return over;
    }

    VirtualTime time() {
        return time;
    }

    /** Returns the names of the threads. */
    Names names() {
        return names;
    }

    /** Returns the name of an executor: its own, with a number if another executor of this run got it before. */
    String nameOf(TakenPlatform executor, String name) {
        return nameOfExecutor.computeIfAbsent(executor, any -> executorNames.unique(name));
    }

    /** Returns a hash for an object that has none of its own. The hashes are spread, and the same in each run. */
    int nextHash() {
        return ++hashes * 0x9E3779B9;
    }

    // threads

    SimulatedThreads threads() {
        return threads;
    }

    /** Creates and starts a thread. */
    void start(String name, Runnable body) {
        SimulatedThread made = new SimulatedThread(this, name);
        Thread thread = new Thread(null, () -> made.run(body), name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setUncaughtExceptionHandler((any, thrown) -> failUncaught(thrown));
        made.setThread(thread);
        threads.started(made);
        thread.start();
    }

    void failUnlessInjected(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            cause = cause.getCause();
        }
        if (!(cause instanceof InjectedFault || cause instanceof SimulationAborted)) {
            fail(thrown);
        }
    }

    /** Fails the run because of an exception that no future reports, unless the test allows it. */
    void failUncaught(Throwable thrown) {
        if (allowed.stream().noneMatch(type -> type.isInstance(thrown))) {
            failUnlessInjected(thrown);
        }
    }

    void allowUncaught(Class<? extends Throwable> type) {
        allowed.add(type);
    }

    /** Starts the first thread of the simulation by giving it the baton. */
    void begin(SimulatedThread first) {
        threads.started(first);
        running = first;
        first.giveBaton();
    }

    /** Ends a thread, and gives the baton to another one. This is the last call of the ending thread. */
    void end(SimulatedThread ended) {
        ended.state = SimulatedThread.State.ENDED;
        threads.ended(ended);
        if (!threads.areNone() && !over) {
            SimulatedThread next = next(null);
            running = next;
            next.giveBatonAfter(ended);
        }
    }

    // yield points

    /** Records an action of a thread. */
    void note(SimulatedThread me, String what, @Nullable String executor, @Nullable Object key) {
        if (!aborting) {
            steps.add(new Step(me.name, what, executor, key, time.now()));
        }
        count();
    }

    /**
     * Counts a step or a wait. Fails a simulation that has too many of them. When waits end with an error, only a
     * limited number of them counts as progress, so that the watching thread gives up in the end.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the thread that has the baton only
    private void count() {
        progress += aborting && ++happenedAtEnd > MOST_AT_END ? 0 : 1;
        if (progress > MOST && !aborting) {
            fail(new Endless(steps.size(), MOST - steps.size()));
            aborting = true;
        }
    }

    /** Gives the baton to another thread or keeps it, according to the choices of this run. */
    void letOthersGoOn(SimulatedThread me) {
        if (asking || ending || hasFailed()) {
            return;
        }
        switchTo(me, next(me));
    }

    /** Ends the current thread with an error if waits and submissions are to end with an error. */
    void endIfAborting() {
        if (aborting) {
            throw new SimulationAborted();
        }
    }

    private void switchTo(SimulatedThread me, SimulatedThread next) {
        if (next != me) {
            running = next;
            next.giveBaton();
            me.awaitBaton();
        }
        me.goOn();
    }

    /**
     * Waits until a condition is true, or time of the simulation has passed.
     *
     * @param nanos the maximum time to wait; {@link Long#MAX_VALUE} for no maximum
     */
    void await(SimulatedThread me, String name, BooleanSupplier awaited, long nanos, boolean interruptible) {
        if (asking) {
            throw new IllegalStateException("'" + me.name + "' evaluates the condition of another thread, and this"
                    + " condition waits for " + name + "; a condition must not wait");
        }
        count();
        if (awaited.getAsBoolean()) {
            return;
        }
        long deadline = nanos == Long.MAX_VALUE ? nanos : time.in(nanos);
        me.waitFor(SimulatedThread.Until.AWAITED, name, awaited, deadline, interruptible);
        switchTo(me, next(null));
        me.throwRefusal();
        if (aborting && !me.resting && !awaited.getAsBoolean()) {
            throw new SimulationAborted();
        }
    }

    /** Waits until the whole simulation is in the given state, such as {@code REST}. */
    void await(SimulatedThread me, SimulatedThread.Until until) {
        me.waitFor(until, "nothing to happen", SimulatedThread.NEVER, Long.MAX_VALUE, false);
        switchTo(me, next(null));
        if (until != SimulatedThread.Until.END) {
            endIfAborting();
        }
    }

    // the end

    /** Fails the run if threads wait for something that can never happen. */
    void failIfStuck() {
        List<SimulatedThread> stuck = threads.waitingForSomething();
        if (!stuck.isEmpty() && !hasFailed()) {
            fail(Stuck.of(stuck, handOvers));
        }
    }

    /** Ends all threads that are left, and then the simulation. Called by the first thread at its end. */
    void letGo(SimulatedThread first) {
        ending = true;
        aborting = true;
        time.close();
        if (!threads.isOne()) {
            await(first, SimulatedThread.Until.END);
        }
        over = true;
    }

    /**
     * Fails the run and ends all waits with an error. Called by the thread that watches the run if the run makes no
     * progress.
     */
    void abort(Throwable reason) {
        fail(reason);
        aborting = true;
    }

    // choices

    int fault(int kinds) {
        return hasFailed() || ending ? 0 : record(choices.fault(kinds), kinds + 1, false);
    }

    int number(int bound) {
        return bound == 1 || ending ? 0 : record(choices.number(bound), bound, false);
    }

    private int record(int chosen, int options, boolean isPreemption) {
        decisions.add(new Decision(chosen, options, isPreemption));
        return chosen;
    }

    private SimulatedThread next(@Nullable SimulatedThread current) {
        while (true) {
            List<SimulatedThread> options = options(current);
            if (options.isEmpty()) {
                options = threads.waitingUntil(SimulatedThread.Until.REST);
            }
            if (options.isEmpty() && moveTime()) {
                continue;
            }
            if (options.isEmpty()) {
                options = threads.waitingUntil(SimulatedThread.Until.QUIET);
            }
            if (options.isEmpty()) {
                options = threads.waitingUntil(SimulatedThread.Until.END);
            }
            if (!options.isEmpty()) {
                return choose(options, current != null);
            }
            // the first thread is stuck, too
            fail(Stuck.of(threads.waitingForSomething(), handOvers));
            aborting = true;
        }
    }

    private SimulatedThread choose(List<SimulatedThread> options, boolean mayStay) {
        if (options.size() == 1 || ending || hasFailed()) {
            return options.get(0);
        }
        return options.get(record(choices.thread(options, mayStay), options.size(), mayStay));
    }

    private List<SimulatedThread> options(@Nullable SimulatedThread current) {
        List<SimulatedThread> options = new ArrayList<>();
        if (current != null) {
            options.add(current);
        }
        asking = true;
        try {
            options.addAll(threads.which(thread -> thread != current && canGoOn(thread)));
        } finally {
            asking = false;
        }
        return options;
    }

    private boolean canGoOn(SimulatedThread thread) {
        return switch (thread.state) {
            case RUNNABLE -> true;
            case ENDED -> false;
            case WAITING ->
                thread.hasAwaited()
                        || thread.deadline <= time.now()
                        || (thread.interruptible && thread.isInterrupted())
                        || (aborting && !thread.resting && thread.until != SimulatedThread.Until.END);
        };
    }

    /**
     * Moves time to the next timer or deadline, and starts the timers that are due then. Returns false if there is
     * neither.
     */
    private boolean moveTime() {
        long next = time.ofFirstTimer();
        for (SimulatedThread thread : threads.waitingUntil(SimulatedThread.Until.AWAITED)) {
            if (!thread.resting || ending) {
                next = Math.min(next, thread.deadline);
            }
        }
        if (next == Long.MAX_VALUE) {
            return false;
        }
        time.moveTo(next);
        for (VirtualTime.Timer due = time.takeDue(); due != null; due = time.takeDue()) {
            start(names.numbered(due.name()), due.action());
        }
        return true;
    }
}
