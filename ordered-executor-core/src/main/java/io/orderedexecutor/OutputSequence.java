package io.orderedexecutor;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is behind an {@link OrderedOutput}: the order of its outputs, which run on the threads of its executor.
 *
 * @param <T> the type of the results
 */
final class OutputSequence<T extends @Nullable Object> extends Sequence implements KeyQueue {
    private final OutputEngine engine;
    private final OrderedOutput<T> facade;
    private final String name;
    private final PieceSegment segment;
    private final Consumer<? super T> consumer;
    private final OutputFailure<T> onFailure;

    /** Null if any number of pieces may be worked on at once. */
    private final @Nullable Slots slots;

    /** What has stopped this output, if a failure has. Written once, by the server, before {@link #isStopped}. */
    private volatile @Nullable Throwable failure;

    /** The last piece that has ended on the thread that serves. Used by the server. */
    private @Nullable Piece lastEnded;

    /** Whether what is not written will not be. */
    private final AtomicBoolean isStopped = new AtomicBoolean();

    OutputSequence(OutputEngine engine, OrderedOutput<T> facade, OrderedOutputBuilder<T> settings) {
        super(settings.window(), 0);
        this.engine = engine;
        this.facade = facade;
        this.name = settings.name();
        this.segment = engine.segmentFor(hash());
        this.consumer = settings.consumer();
        this.onFailure = settings.onFailure();
        this.slots = settings.concurrency() == Bounds.UNLIMITED ? null : new Slots(settings.concurrency());
    }

    OrderedOutput<T> facade() {
        return facade;
    }

    OutputEngine engine() {
        return engine;
    }

    PieceSegment segment() {
        return segment;
    }

    Slots slots() {
        return Objects.requireNonNull(slots);
    }

    String name() {
        return name;
    }

    // acceptance

    void requireOpen() {
        if (isClosed()) {
            Throwable cause = failure;
            throw engine.rejected(
                    describe() + (cause == null ? " is closed" : " was stopped by a failure")
                            + " and accepts no more pieces",
                    cause);
        }
    }

    /**
     * Gives a piece its place, or throws.
     *
     * @return false if there is no room in the window
     */
    boolean tryPlace(TaskFuture<?> work) {
        requireOpen();
        Ticket ticket = issue();
        if (ticket == null) {
            requireOpen();
            return false;
        }
        boolean hasPlace = false;
        try {
            Piece piece = new Piece(engine, this, ticket, work, slots != null);
            hasPlace = segment.add(piece);
            if (hasPlace) {
                start(piece);
            }
        } finally {
            if (!hasPlace) {
                // whatever was thrown, memory or stack may have run out: no piece ends that could do it
                ticket.giveUp();
            }
        }
        if (!hasPlace) {
            throw engine.rejectedByShutdown();
        }
        return true;
    }

    /** Starts a piece that has its place, or throws and leaves nothing of it. */
    private void start(Piece piece) {
        Slots limited = slots;
        if (isStopped.get()) {
            // whoever stops this output has looked for pieces before this one came
            piece.cancel();
        } else if (limited == null) {
            piece.handOver(piece.head());
        } else if (takesSlot(limited, piece)) {
            if (piece.becomeReady()) {
                piece.handOver(piece.head());
            } else {
                piece.startInSlot();
            }
        }
    }

    /** Takes a slot, or waits for it and returns false. */
    private static boolean takesSlot(Slots limited, Piece piece) {
        boolean isSettled = false;
        try {
            boolean takes = limited.tryTake(piece);
            if (!takes) {
                limited.await(piece);
            }
            isSettled = true;
            return takes;
        } finally {
            if (!isSettled) {
                piece.cancel();
            }
        }
    }

    // as a key with bounds

    @Override
    public int hash() {
        return SegmentedTable.spread(System.identityHashCode(this));
    }

    @Override
    public boolean dropOldest() {
        return false;
    }

    @Override
    public String describe() {
        return "output '" + name + "' of " + engine.describe();
    }

    @Override
    public String describeFull(int capacity) {
        return describe() + " has no room: its window is " + window()
                + " pieces that are accepted and not written; the first of them is " + head();
    }

    // serving

    @Override
    boolean perform(Ticket ticket, Runnable output) {
        try {
            return ((PieceHold<?>) output).write();
        } catch (Throwable failure) {
            // what the application throws is contained before; if memory or stack run out on the way, the others must
            // not be lost
            UncaughtFailures.report(failure);
            return true;
        }
    }

    /**
     * A piece has ended. The executor may terminate when there are no more, and whoever waits for that is to find the
     * outputs flushed: if the thread that serves has ended it, it counts until that has left.
     */
    void end(Piece piece) {
        if (!isServedHere()) {
            piece.afterServing();
            return;
        }
        Piece before = lastEnded;
        lastEnded = piece;
        if (before != null) {
            before.afterServing();
        }
    }

    @Override
    @Nullable
    AfterServing takeEnded() {
        Piece ended = lastEnded;
        lastEnded = null;
        return ended;
    }

    /** Called by the holder of a piece, in its turn. */
    void write(PieceHold<?> finished) {
        @SuppressWarnings("unchecked") // it is a piece of this output
        PieceHold<T> own = (PieceHold<T>) finished;
        own.writeTo(this);
    }

    void write(PieceHold<T> piece, @Nullable T result, @Nullable Throwable thrown) {
        Throwable failure = thrown;
        if (failure == null) {
            failure = tryWrite(piece, result);
        } else if (onFailure instanceof OutputFailure.Replace<T> replacing) {
            failure = tryReplace(piece, replacing, failure);
        }
        if (failure == null) {
            return;
        }
        if (onFailure instanceof OutputFailure.Skip<T> skipping) {
            skipping.report(failure);
        }
        boolean stops = onFailure instanceof OutputFailure.Stop<T>;
        if (stops) {
            this.failure = failure;
            var unused = end();
        }
        leaveWindow();
        piece.failed(failure);
        if (stops) {
            stop();
        }
    }

    /** Writes a result, which may be null if {@code T} says so; returns what the output has thrown. */
    @SuppressWarnings("NullAway")
    private @Nullable Throwable tryWrite(PieceHold<T> piece, @Nullable T result) {
        long begunAt = engine.events() == null ? 0 : now();
        try {
            consumer.accept(result);
        } catch (Throwable failure) {
            return failure;
        }
        leaveWindow();
        piece.written(result, begunAt);
        return null;
    }

    private @Nullable Throwable tryReplace(PieceHold<T> piece, OutputFailure.Replace<T> replacing, Throwable ofWork) {
        T replacement;
        try {
            replacement = replacing.replacementFor(ofWork);
        } catch (Throwable failure) {
            return because(failure, ofWork);
        }
        Throwable failure = tryWrite(piece, replacement);
        return failure == null ? null : because(failure, ofWork);
    }

    private static Throwable because(Throwable failure, Throwable first) {
        if (failure != first) {
            failure.addSuppressed(first);
        }
        return failure;
    }

    @Override
    void onServed() {
        engine.onRoom();
    }

    @Override
    Ticket.Awaited awaited() {
        // every piece ends, and so does its ticket
        return Ticket.Awaited.WITHOUT_LEASE;
    }

    @Override
    void onAwaited() {
        // nobody watches it
    }

    @Override
    boolean passOn(Runnable continuation) {
        return engine.workers().passOn(continuation);
    }

    @Override
    Turn turn() {
        return engine.workers().turn();
    }

    @Override
    long now() {
        return engine.platform().nanoTime();
    }

    @Override
    @Nullable
    Stop stopped() {
        // tickets are not used by applications here
        return null;
    }

    // the end

    /**
     * Accepts no more pieces.
     *
     * @return a future that is done when all accepted ones are
     */
    CompletableFuture<@Nullable Void> end() {
        Ticket last = close();
        // whoever waits for room is to see that there will be none
        engine.onRoom();
        return last.whenServed();
    }

    /** Accepts no more pieces, and cancels those that are not written. */
    void stop() {
        var unused = end();
        if (!isStopped.getAndSet(true)) {
            // from behind: the slot of one that is worked on is not to start another
            List<Piece> pieces = own().toList();
            for (int i = pieces.size() - 1; i >= 0; i--) {
                pieces.get(i).cancel();
            }
        }
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    private Stream<Piece> own() {
        return segment.pieces().stream().filter(piece -> piece.output() == this);
    }

    /**
     * Whether this output cannot end before the calling thread has done what it does: it works on a piece, or writes
     * one, or tells of it.
     */
    boolean isHeldUpHere() {
        return isServedHere() || own().anyMatch(Piece::isHeldUpHere);
    }
}
