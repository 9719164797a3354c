package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs tasks on one thread, in order, but for one in a thousand, which meets with a {@link Fault}. */
final class BrokenExecutor implements KeyedExecutor {
    private static final int EVERY = 1_000;

    private final Fault fault;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<Runnable> overtaken = new ArrayList<>();
    private final List<Runnable> repeatedAtTheEnd = new ArrayList<>();
    private int submissions;

    BrokenExecutor(Fault fault) {
        this.fault = fault;
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
        /** The next task runs first. */
        SWAPS
    }

    @Override
    public void execute(Object key, Runnable task) {
        submissions++;
        if (submissions % EVERY == 0) {
            executeWrongly(task);
        } else {
            thread.execute(task);
            overtaken.forEach(thread::execute);
            overtaken.clear();
        }
    }

    private void executeWrongly(Runnable task) {
        boolean second = submissions / EVERY % 2 == 0;
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
            overtaken.add(task);
        } else if (fault == Fault.REPEATS_AT_THE_END) {
            repeatedAtTheEnd.add(task);
        }
    }

    @Override
    public void end() throws InterruptedException {
        repeatedAtTheEnd.forEach(thread::execute);
        Pools.end(thread);
    }
}
