package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.KeyHashes;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The engine of an {@link OrderedOutputExecutor}: tasks do not conflict, but their outputs have an order. */
public final class OutputEngine extends Engine<OutputSequence<?>> {
    /** Each output is a key, whose capacity is its window. */
    private static final class Windows implements KeyHashes<OutputSequence<?>> {
        @Override
        public Set<Integer> of(OutputSequence<?> output, int hash) {
            return Set.of(output.hash());
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand none) {
            // pieces have no strands, and keep their place in the window until they are over
            return Set.of();
        }
    }

    private final OutputTable table;
    private final int concurrency;

    private final PieceAges ages;
    private final AtomicLong names = new AtomicLong();

    public OutputEngine(Settings settings, int concurrency, Workers workers, Runnable onTerminated) {
        this(settings, concurrency, workers, new OutputTable(), onTerminated);
    }

    private OutputEngine(
            Settings settings, int concurrency, Workers workers, OutputTable table, Runnable onTerminated) {
        super("ordered output", settings, workers, table, new Windows(), onTerminated);
        this.table = table;
        this.concurrency = concurrency;
        this.ages = new PieceAges(platform(), events() != null);
    }

    /** How many tasks of an output may be open, if it says nothing else. */
    public int window() {
        return requireLimits("window").keyCapacity();
    }

    /** How many tasks of an output may run at once, if it says nothing else. */
    public int concurrency() {
        return concurrency;
    }

    /**
     * Opens an output.
     *
     * @param key what users know it by
     */
    public <T extends @Nullable Object> OutputSequence<T> open(Object key, OutputSettings<T> settings) {
        int hash = SegmentedTable.spread(System.identityHashCode(key));
        String given = settings.name();
        String name = given == null ? "output-" + names.incrementAndGet() : given;
        return new OutputSequence<>(this, key, hash, table.segmentFor(hash), ages, name, settings);
    }

    /** For a method that waits for tasks that are not submitted yet: throws if a task of this executor calls it. */
    public void requireOutsideTasks(String method) {
        if (isInsideTask()) {
            throw new SelfWaitException(method + " of " + describe()
                    + " was called by one of its own tasks, and would keep the thread that the pieces may need "
                    + "which it waits for;"
                    + " call it from another thread, or submit to an OrderedOutput and go on in a dependent action");
        }
    }

    // acceptance

    /** Accepts a task of an output, or throws. */
    public <T extends @Nullable Object> void place(
            OutputSequence<T> output, Piece<T> task, @Nullable Overflow overflow) {
        accept(output.key(), output, 0, task, overflow);
    }

    @Override
    @SuppressWarnings("unchecked")
    public // the output and the task were given to the method above together
    @Nullable LimitedKey place(OutputSequence<?> output, int hash, Runnable task, int window) {
        return ((OutputSequence<Object>) output).tryPlace((Piece<Object>) task) ? null : output;
    }

    @Override
    public boolean dropOldest(OutputSequence<?> output, int hash) {
        return false;
    }

    // observation

    @Override
    public String keyType() {
        return "output";
    }

    @Override
    public Explanation explain(Object key, boolean stacks) {
        for (OutputSequence<?> output : busyOutputs()) {
            if (output.key() == key) {
                Explanation explanation = output.explain(stacks);
                return explanation == null ? Reasons.idle(output.place()) : explanation;
            }
        }
        return Reasons.idle(new Place(name(), keyType(), null));
    }

    public OrderedOutputExecutorStats stats() {
        var live = new Object() {
            long queued;
            long active;
        };
        table.forEach(output -> output.forEach(piece -> {
            live.queued += PieceState.phase(piece) == PieceState.WAITING ? 1 : 0;
            live.active += PieceState.isActive(piece) ? 1 : 0;
        }));
        return new OrderedOutputExecutorStats(
                busyOutputs().size(), live.queued, live.active, completed(), failed(), cancelled(), rejected());
    }

    /** The outputs that have tasks. */
    public List<OutputSequence<?>> busyOutputs() {
        return table.strands();
    }
}
