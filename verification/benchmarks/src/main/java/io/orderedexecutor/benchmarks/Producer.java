package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Submits tasks for keys, and knows what it has submitted. Used by one thread at a time. */
final class Producer {
    /** Between two paced calls: rare enough that what is queued meanwhile makes no work for the collector. */
    private static final long PACE_NANOS = 10_000;

    private final KeyedExecutor executor;
    private final Object[] keys;
    private final Lane[] lanes;

    /** For each lane, how many tasks it has been given. */
    private final int[] turns;

    private int number;
    private long submitted;
    private long checksum;
    private long random;

    /** @param index tells the producers of one experiment apart */
    Producer(int index, KeyedExecutor executor, Object[] keys, Lane[] lanes) {
        this.executor = executor;
        this.keys = keys;
        this.lanes = lanes;
        this.turns = new int[keys.length];
        this.number = index << 28;
        this.random = 0x2545F4914F6CDD1DL + index;
    }

    /** Makes the task that is submitted. */
    interface TaskFactory {
        Task task(Lane lane, int turn, int number);
    }

    static Producer of(int index, KeyedExecutor executor, boolean ordered, Object[] keys, Ledger ledger, int tokens) {
        Lane[] lanes = new Lane[keys.length];
        Arrays.setAll(lanes, i -> ordered ? new Lane.Ordered(ledger, tokens) : new Lane.Unordered(ledger, tokens));
        return new Producer(index, executor, keys, lanes);
    }

    /**
     * Which tasks are submitted.
     *
     * @param rollupEvery how many tasks there are for each rollup of two keys; 0 if there is none
     * @param sharedPercent how many tasks of a hundred share their key
     * @param plain makes the others
     */
    record Mix(int rollupEvery, int sharedPercent, TaskFactory plain) {
        /** Each has a turn of its own in its key, and no work but that of its lane. */
        static final Mix PLAIN = new Mix(0, 0, Task::new);

        static Mix rollups(int every) {
            return new Mix(every, 0, Task::new);
        }

        boolean isRollup(int number) {
            return rollupEvery > 0 && number % rollupEvery == 0;
        }

        /** Not one of them behind the other. */
        boolean isShared(int number) {
            return sharedPercent > 0 && Math.floorMod(number * 37, 100) < sharedPercent;
        }
    }

    /** So many tasks, for keys at random. */
    void submit(int tasks, Mix mix, Window window) {
        for (int left = tasks; left > 0; left -= Window.CHUNK) {
            int chunk = Math.min(left, Window.CHUNK);
            window.admit(chunk);
            for (int i = 0; i < chunk; i++) {
                submitAny(mix);
            }
        }
    }

    private void submitAny(Mix mix) {
        int key = anyKey();
        if (mix.isRollup(number)) {
            submitRollup(key, (key + 1 + key(keys.length - 1)) % keys.length);
        } else if (mix.isShared(number)) {
            submitShared(key);
        } else {
            submit(key, mix.plain);
        }
    }

    /** An executor that knows no such tasks gets one with a turn of its own. */
    private void submitShared(int key) {
        if (executor instanceof RollupExecutor sharing) {
            sharing.executeShared(keys[key], new SharedTask(lanes[key], turns[key], nextNumber()));
        } else {
            submit(key, Task::new);
        }
    }

    /** An executor that knows no rollups gets the task for the first of its keys. */
    private void submitRollup(int key, int other) {
        if (executor instanceof RollupExecutor rollups) {
            TaskFactory both = (lane, turn, own) -> new RollupTask(lane, turn, own, lanes[other], turns[other]++);
            rollups.executeRollup(keys[key], keys[other], next(key, both));
        } else {
            submit(key, Task::new);
        }
    }

    void submit(int key, TaskFactory factory) {
        executor.execute(keys[key], next(key, factory));
    }

    /** One task after the other, for keys at random, with a pause before each; tells how long each call took. */
    void submitPaced(BooleanSupplier goesOn, LongConsumer nanos) {
        while (goesOn.getAsBoolean()) {
            long due = System.nanoTime() + PACE_NANOS;
            while (System.nanoTime() < due) {
                Thread.onSpinWait();
            }
            int key = anyKey();
            long start = System.nanoTime();
            submit(key, Task::new);
            nanos.accept(System.nanoTime() - start);
        }
    }

    /** The next task of a key, counted as submitted. */
    Task next(int key, TaskFactory factory) {
        int own = nextNumber();
        return factory.task(lanes[key], turns[key]++, own);
    }

    private int nextNumber() {
        submitted++;
        checksum += Ledger.trace(number);
        return number++;
    }

    int anyKey() {
        return key(keys.length);
    }

    /** One of the first so many keys, at random. */
    private int key(int count) {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) (((random >>> 32) * count) >>> 32);
    }

    long submitted() {
        return submitted;
    }

    long checksum() {
        return checksum;
    }
}
