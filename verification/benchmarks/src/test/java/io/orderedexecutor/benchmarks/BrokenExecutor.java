package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.GroupedSubject;
import io.orderedexecutor.benchmarks.Core.StripedSubject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Runs tasks on one thread, in order, but for one now and then, which meets with a {@link Fault}. */
final class BrokenExecutor implements StripedSubject, GroupedSubject {
    private final Fault fault;
    private final int every;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Map<Object, Runnable> overtaken = new HashMap<>();
    private final List<Runnable> repeatedAtTheEnd = new ArrayList<>();
    private int submissions;

    /** @param every how many tasks there are for each that something happens to */
    BrokenExecutor(Fault fault, int every) {
        this.fault = fault;
        this.every = every;
    }

    /** What goes wrong. */
    enum Fault {
        NONE,
        LOSES,
        REPEATS,
        /** Loses as many as it repeats: the count is right. */
        LOSES_AND_REPEATS,
        /** Repeats tasks long after they were counted. */
        REPEATS_AT_THE_END,
        /** The next task of the key runs first. */
        SWAPS
    }

    @Override
    public synchronized void execute(Object key, Runnable task) {
        submissions++;
        if (submissions % every == 0 && !overtaken.containsKey(key)) {
            executeWrongly(key, task);
        } else {
            thread.execute(task);
            Runnable earlier = overtaken.remove(key);
            if (earlier != null) {
                thread.execute(earlier);
            }
        }
    }

    private void executeWrongly(Object key, Runnable task) {
        boolean second = submissions / every % 2 == 0;
        int times = switch (fault) {
            case NONE, REPEATS_AT_THE_END -> 1;
            case LOSES, SWAPS -> 0;
            case REPEATS -> 2;
            case LOSES_AND_REPEATS -> second ? 2 : 0;
        };
        for (int i = 0; i < times; i++) {
            thread.execute(task);
        }
        if (fault == Fault.SWAPS) {
            overtaken.put(key, task);
        } else if (fault == Fault.REPEATS_AT_THE_END) {
            repeatedAtTheEnd.add(task);
        }
    }

    @Override
    public void executeRollup(Object key, Object other, Runnable task) {
        execute(key, task);
    }

    @Override
    public void executeShared(Object key, Runnable task) {
        execute(key, task);
    }

    @Override
    public void executeBarrier(Runnable task) {
        thread.execute(task);
    }

    @Override
    public void hold(Object key, CompletionStage<?> until) {
        throw new UnsupportedOperationException();
    }

    @Override
    public KeyedExecutor collecting(int most, Consumer<List<Runnable>> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void look() {}

    @Override
    public void scrape() {}

    @Override
    public synchronized void end() {
        overtaken.values().forEach(thread::execute);
        repeatedAtTheEnd.forEach(thread::execute);
        try {
            Pools.end(thread);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
