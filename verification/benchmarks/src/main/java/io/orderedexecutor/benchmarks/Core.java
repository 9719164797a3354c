package io.orderedexecutor.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the benchmarks use of the core. Nothing else of them names a class of the core, so a change of its API is a
 * change of {@link TodaysCore}; {@code EarlierCore} calls the API of the builds that {@code --before} measures.
 */
interface Core {

    /** The one that this JVM has the classes of. */
    Core PRESENT = CoreClasses.present();

    StripedSubject striped(Build build);

    GroupedSubject grouped(int threads);

    /** Whether a grouped executor can be used as a striped one. */
    boolean hasStripesOfGroups();

    /** A grouped executor, used as a striped one. */
    KeyedExecutor stripesOfGroups(int threads);

    OutputSubject outputs(int threads, int window);

    /** A striped executor. */
    interface StripedSubject extends KeyedExecutor {

        /** Holds the key until the stage is complete, without a thread. */
        void hold(Object key, CompletionStage<?> until);

        /** Collects tasks, at most so many for each call of the handler. */
        KeyedExecutor collecting(int most, Consumer<List<Runnable>> handler);

        /** Reads the statistics. */
        void look();

        /** Reads what the meters of the starter read for one scrape. */
        void scrape();
    }

    /** A grouped executor; tasks of one key have it exclusively. */
    interface GroupedSubject extends RollupExecutor {

        /** Runs {@code task} after all tasks that were submitted, and before all later ones. */
        void executeBarrier(Runnable task);
    }

    /** An executor of ordered outputs. */
    interface OutputSubject {

        Output open();

        void end();
    }

    /** One output, which runs its pieces in order. */
    interface Output {

        /** The work makes the piece, and the output of the piece is to run it. */
        void submit(Runnable piece);

        void close();
    }

    /**
     * How a striped executor is built.
     *
     * @param threads how many threads of its own it has
     * @param pool what it runs on instead; null for threads of its own
     * @param capacity how many tasks may be queued; 0 for no limit
     * @param keyCapacity the same for each key
     * @param blockFor how long a submitter waits for room; null if it does not wait
     * @param discardsOldest whether the oldest task is dropped for it then; else it is refused
     * @param meters what hears of each task; null if nobody does
     */
    record Build(
            int threads,
            @Nullable Executor pool,
            int capacity,
            int keyCapacity,
            @Nullable Duration blockFor,
            boolean discardsOldest,
            @Nullable Meters meters) {

        static Build threads(int threads) {
            return new Build(threads, null, 0, 0, null, false, null);
        }

        static Build on(Executor pool) {
            return new Build(0, pool, 0, 0, null, false, null);
        }

        Build capacity(int tasks) {
            return new Build(threads, pool, tasks, keyCapacity, blockFor, discardsOldest, meters);
        }

        Build keyCapacity(int tasks) {
            return new Build(threads, pool, capacity, tasks, blockFor, discardsOldest, meters);
        }

        Build blockFor(Duration time) {
            return new Build(threads, pool, capacity, keyCapacity, time, discardsOldest, meters);
        }

        Build discardingOldest() {
            return new Build(threads, pool, capacity, keyCapacity, blockFor, true, meters);
        }

        Build metered() {
            return new Build(threads, pool, capacity, keyCapacity, blockFor, discardsOldest, new Meters());
        }
    }
}
