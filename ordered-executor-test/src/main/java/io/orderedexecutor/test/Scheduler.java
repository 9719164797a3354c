package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread of a simulation goes on. Exactly one has the <em>baton</em> and runs; at a yield point, and
 * where it waits, it chooses the next one itself and gives it the baton. Time moves when no thread can go on.
 *
 * <p>All state is used by the thread that has the baton, unless a field says otherwise; who gets the baton sees what
 * the last one has written.
 */
final class Scheduler {
    private static final int MOST_STEPS = 200_000;

    private final Choices choices;
    private final List<SimulatedThread> threads = new ArrayList<>();
    private final IdentityHashMap<Thread, SimulatedThread> byThread = new IdentityHashMap<>();
    private final List<Decision> decisions = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private final Names names = new Names();
    private final History history = new History();
    private final Faults faults = new Faults(this);
    private final HandOvers handOvers = new HandOvers();
    private int hashes;

    /** Threads that wait for nothing left to happen. */
    private final List<SimulatedThread> idleWaiters = new ArrayList<>();

    /** The one of them that does not let time pass. */
    private @Nullable SimulatedThread restWaiter;

    /** Whether another thread asks what threads wait for: that must not give the baton away. */
    private boolean asking;

    /** Whether waits end by an error: nothing else would end them. */
    private boolean aborting;

    /** Whether the body has ended and workers are to go. */
    private boolean ending;

    /** Whether no thread is left. Read by any thread. */
    private volatile boolean over;

    /** The first failure; set once, by any thread. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** Written by the thread that has the baton; read by the one that watches. */
    private volatile @Nullable SimulatedThread running;

    /** Counts what happens, for the one that watches. */
    private volatile long progress;

    Scheduler(Choices choices) {
        this.choices = choices;
    }

    /** Fails if threads wait for something that nothing will bring about. */
    void failIfStuck() {
        List<SimulatedThread> stuck = threads.stream()
                .filter(thread -> thread.state == SimulatedThread.State.WAITING && !thread.resting)
                .filter(thread -> !idleWaiters.contains(thread))
                .toList();
        if (!stuck.isEmpty() && !hasFailed()) {
            fail(Stuck.of(stuck, handOvers.executors()));
        }
    }

    // what a run leaves

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

    Names names() {
        return names;
    }

    /** Spreads what has no hash of its own, in the same way in each run. */
    int nextHash() {
        return ++hashes * 0x9E3779B9;
    }

    // threads

    /** A thread was made that will be started later. */
    void made(SimulatedThread made) {
        byThread.put(made.thread(), made);
    }

    /** Adds a thread that is about to be started; false if it was made elsewhere. */
    boolean starts(Thread thread) {
        SimulatedThread found = byThread.get(thread);
        if (found != null) {
            threads.add(found);
        }
        return found != null;
    }

    private void add(SimulatedThread added) {
        made(added);
        threads.add(added);
    }

    /** Makes and starts a thread. */
    void start(String name, Runnable body) {
        SimulatedThread made = new SimulatedThread(this, name);
        Thread thread = new Thread(null, () -> made.run(body), name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setUncaughtExceptionHandler((any, thrown) -> failUnlessInjected(thrown));
        made.setThread(thread);
        add(made);
        thread.start();
    }

    void failUnlessInjected(Throwable thrown) {
        if (!(thrown instanceof InjectedFault || thrown instanceof SimulationAborted)) {
            fail(thrown);
        }
    }

    /** The first thread, which no other one starts. */
    void begin(SimulatedThread first) {
        add(first);
        running = first;
        first.giveBaton();
    }

    @Nullable
    SimulatedThread find(Thread thread) {
        return byThread.get(thread);
    }

    boolean isAlone() {
        return threads.size() == 1;
    }

    /** Names a thread, but the current one, that is not at rest; null if all are. */
    @Nullable
    String findActive(SimulatedThread me) {
        for (SimulatedThread thread : threads) {
            if (thread != me && !thread.resting) {
                return "Thread '" + thread.name + "' is not idle: it "
                        + (thread.state == SimulatedThread.State.RUNNABLE
                                ? "can go on"
                                : "waits for " + thread.awaitedName);
            }
        }
        return null;
    }

    /** Called by a thread at its end. */
    void end(SimulatedThread ended) {
        ended.state = SimulatedThread.State.ENDED;
        threads.remove(ended);
        byThread.remove(ended.thread());
        if (!threads.isEmpty()) {
            SimulatedThread next = next(null);
            running = next;
            next.giveBaton();
        }
    }

    // yield points

    /** Notes what a thread does. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the thread that has the baton only
    void note(SimulatedThread me, String what, @Nullable String executor, @Nullable Object key) {
        progress++;
        if (!ending) {
            steps.add(new Step(me.name, what, executor, key, time.now()));
            if (steps.size() > MOST_STEPS && !aborting) {
                fail(new AssertionError("The simulation does not end: it has taken " + MOST_STEPS
                        + " steps. A task submits itself again, retries without end, or a timer does"));
                aborting = true;
            }
        }
    }

    /** Where another thread may go on instead of this one. */
    void letOthersGoOn(SimulatedThread me) {
        if (asking || ending || hasFailed()) {
            return;
        }
        switchTo(me, next(me));
    }

    /** For user code: once the simulation has come to an end that leaves it behind, it is to end, too. */
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
        me.state = SimulatedThread.State.RUNNABLE;
        me.awaited = SimulatedThread.NEVER;
    }

    /**
     * Waits, in the time of the simulation.
     *
     * @param nanos at most so long; {@link Long#MAX_VALUE} for as long as it takes
     */
    void await(SimulatedThread me, String name, BooleanSupplier awaited, long nanos, boolean interruptible) {
        if (awaited.getAsBoolean()) {
            return;
        }
        me.awaited = awaited;
        me.awaitedName = name;
        me.deadline = nanos == Long.MAX_VALUE ? nanos : time.in(nanos);
        me.interruptible = interruptible;
        me.state = SimulatedThread.State.WAITING;
        switchTo(me, next(null));
        if (aborting && !me.resting && !awaited.getAsBoolean()) {
            throw new SimulationAborted();
        }
    }

    /** Waits until no other thread can go on, unless time passes. */
    void awaitRest(SimulatedThread me) {
        restWaiter = me;
        awaitIdle(me);
        restWaiter = null;
    }

    /** Waits until nothing can happen any more, at any time. */
    void awaitIdle(SimulatedThread me) {
        idleWaiters.add(me);
        me.awaited = SimulatedThread.NEVER;
        me.awaitedName = "nothing to happen";
        me.deadline = Long.MAX_VALUE;
        me.interruptible = false;
        me.state = SimulatedThread.State.WAITING;
        switchTo(me, next(null));
        idleWaiters.remove(me);
    }

    /** Lets all threads that are left go, before the first one ends. */
    void letGo(SimulatedThread me) {
        ending = true;
        aborting = true;
        time.clear();
        for (int tries = 0; !isAlone() && tries < 100; tries++) {
            awaitIdle(me);
        }
        over = true;
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
            if (!options.isEmpty()) {
                return choose(options, current != null);
            }
            if (restWaiter != null) {
                return restWaiter;
            }
            if (moveTime()) {
                continue;
            }
            if (!idleWaiters.isEmpty()) {
                return idleWaiters.get(idleWaiters.size() - 1);
            }
            // also the first thread waits for something that nothing will bring about
            fail(Stuck.of(threads, handOvers.executors()));
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
            for (SimulatedThread thread : threads) {
                if (thread != current && canGoOn(thread)) {
                    options.add(thread);
                }
            }
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
                thread.awaited.getAsBoolean()
                        || thread.deadline <= time.now()
                        || (thread.interruptible && thread.isInterrupted())
                        || (aborting && !thread.resting && !idleWaiters.contains(thread));
        };
    }

    /** Moves time to when something happens next; false if nothing will. */
    private boolean moveTime() {
        long next = time.ofFirstTimer();
        for (SimulatedThread thread : threads) {
            if (thread.state == SimulatedThread.State.WAITING && (!thread.resting || ending)) {
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
