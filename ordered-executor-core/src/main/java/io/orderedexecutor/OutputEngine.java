package io.orderedexecutor;

import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The engine of an {@link OrderedOutputExecutor}: tasks do not conflict, but their outputs have an order. */
final class OutputEngine extends Engine {
    private final PieceTable table;
    private final int concurrency;

    private final AtomicLong names = new AtomicLong();

    OutputEngine(Settings settings, int concurrency, Workers workers, Runnable onTerminated) {
        this(settings, concurrency, workers, new PieceTable(), onTerminated);
    }

    private OutputEngine(Settings settings, int concurrency, Workers workers, PieceTable table, Runnable onTerminated) {
        super(settings, workers, table, onTerminated);
        this.table = table;
        this.concurrency = concurrency;
    }

    /** How many pieces of an output may be open, if it says nothing else. */
    int window() {
        return requireBounds("window").keyCapacity();
    }

    /** How many pieces of an output may be worked on at once, if it says nothing else. */
    int concurrency() {
        return concurrency;
    }

    String nextOutputName() {
        return "output-" + names.incrementAndGet();
    }

    @Override
    String describe() {
        return "ordered output executor '" + name() + "'";
    }

    PieceSegment segmentFor(int hash) {
        return table.segmentFor(hash);
    }

    /** For a method that waits for pieces that are not submitted yet: throws if a task of this executor calls it. */
    void requireOutsideTasks(String method) {
        if (isInsideTask()) {
            throw new SelfWaitException(method + " of " + describe()
                    + " was called by one of its own tasks, and would keep the thread that the pieces may need "
                    + "which it waits for;"
                    + " call it from another thread, or submit to an OrderedOutput and go on in a dependent action");
        }
    }

    // acceptance

    /** Accepts a piece of an output, or throws. */
    void place(OutputSequence<?> output, TaskFuture<?> piece, @Nullable Overflow overflow) {
        if (!hasOpenDoor() || !output.tryPlace(piece)) {
            accept(new InOutput(output, piece, overflow));
        }
    }

    /** Whether a window is all that a piece may have to wait for, and nobody hears of it. */
    private boolean hasOpenDoor() {
        Bounds bounds = requireBounds("window");
        if (events() != null || !bounds.isOpen()) {
            return false;
        }
        requireRunning();
        return true;
    }

    /**
     * A piece on its way in.
     *
     * @param ownOverflow what becomes of it if there is no room; null if that is up to the executor
     */
    private record InOutput(
            OutputSequence<?> output,
            TaskFuture<?> task,
            @Nullable Overflow ownOverflow) implements Submission {
        @Override
        public Object key() {
            return output.facade();
        }

        @Override
        public Set<Integer> keyHashes() {
            return Set.of(output.hash());
        }

        @Override
        public @Nullable KeyQueue place(int window) {
            return output.tryPlace(task) ? null : output;
        }

        @Override
        public boolean dropOldest() {
            return false;
        }

        @Override
        public Overflow overflow(Overflow ofExecutor) {
            return ownOverflow == null ? ofExecutor : ownOverflow;
        }
    }

    /** Called when there may be room in the window of an output. */
    void onRoom() {
        Bounds bounds = bounds();
        if (bounds != null) {
            bounds.onRoom();
        }
    }

    @Override
    Set<Integer> keyHashes(Strand takenFrom) {
        // a piece that is taken keeps its place in the window until its output has run
        return Set.of();
    }

    void onEnd(Piece piece) {
        onChainEnd(piece.output().segment().remove(piece));
    }

    // observation

    OrderedOutputExecutorStats stats() {
        var live = new Object() {
            long queued;
            long active;
        };
        table.forEach(piece -> {
            live.queued += piece.queued();
            live.active += piece.isActive() ? 1 : 0;
        });
        return new OrderedOutputExecutorStats(
                busyOutputs().size(), live.queued, live.active, completed(), failed(), cancelled(), rejected());
    }

    /** The outputs that have pieces. */
    List<OrderedOutput<?>> busyOutputs() {
        List<OrderedOutput<?>> busy = new ArrayList<>();
        // the pieces of one output are not together, but all in one segment
        for (PieceSegment segment : table.segments()) {
            segment.pieces().stream()
                    .filter(piece -> !piece.hasEnded())
                    .map(piece -> piece.output().facade())
                    .distinct()
                    .forEach(busy::add);
        }
        return busy;
    }

    /** The threads that have to get on with what they do before the output of a piece has run. */
    List<Thread> threadsUpTo(Piece last) {
        List<Thread> threads = new ArrayList<>();
        for (Piece piece : last.output().segment().pieces()) {
            Thread thread = piece.output() == last.output() && !piece.isBehind(last) ? piece.holdingThread() : null;
            if (thread != null) {
                threads.add(thread);
            }
        }
        return threads;
    }
}
