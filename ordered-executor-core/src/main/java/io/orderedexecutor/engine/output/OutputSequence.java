package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.output.Slots.Block;
import io.orderedexecutor.engine.output.Slots.Mark;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.OutputSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of an {@link OrderedOutput}: pieces that are worked on concurrently, and the order of their
 * results, which the threads of the executor write.
 *
 * @param <T> the type of the results
 */
public final class OutputSequence<T extends @Nullable Object>
        implements LimitedKey, OutputServer.Output, ResultWriter.Stoppable {
    private static final VarHandle OUT_OF_WINDOW_BEFORE;

    static {
        try {
            OUT_OF_WINDOW_BEFORE =
                    MethodHandles.lookup().findVarHandle(OutputSequence.class, "outOfWindowBefore", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Engine<?> engine;
    private final int hash;
    private final OutputSegment segment;
    private final PieceAges ages;
    private final PieceHost host;
    private final PieceLife life;
    private final Slots<Piece<?>, Piece.Owner> slots;
    private final OutputServer server;
    private final ResultWriter<T> writer;

    private final PieceStarter starter;

    private volatile int window;

    /** What a submitter has last seen of the pieces that are out of the window, or a former value. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private long outOfWindowBefore;

    /** When the first piece was accepted of those that have come without a gap. Written by its submitter. */
    private volatile long busySince;

    /** Written after the mark is in its slot which ends this output; read by those who ask. */
    private volatile boolean closed;

    /** What has stopped this output, if a failure has. Written once, by the server, before {@link #closed}. */
    private volatile @Nullable Throwable failure;

    /** How often this output is in its segment, and its neighbours there. Guarded by the monitor of that. */
    int timesHere;

    @Nullable
    OutputSequence<?> before;

    @Nullable
    OutputSequence<?> after;

    /**
     * Begins.
     *
     * @param key what users know this output by
     * @param hash of the key, spread
     * @param segment where this output is found while it has pieces
     * @param ages of the pieces of all outputs
     */
    OutputSequence(
            Engine<?> engine,
            Object key,
            int hash,
            OutputSegment segment,
            PieceAges ages,
            String name,
            OutputSettings<T> settings) {
        this.engine = engine;
        this.ages = ages;
        this.hash = hash;
        this.segment = segment;
        this.window = settings.window();
        ConcurrencyLimit limit =
                settings.concurrency() == Limits.UNLIMITED ? null : new ConcurrencyLimit(settings.concurrency());
        this.host = new PieceHost(engine, key, name, engine.failurePolicy().withoutParking(), limit);
        this.life = new PieceLife(host, this);
        this.slots = life.slots();
        this.server = life.server();
        this.starter = new PieceStarter(host, life);
        this.writer = new ResultWriter<>(host, server, this, settings.consumer(), settings.onFailure());
    }

    public String name() {
        return host.name();
    }

    Object key() {
        return host.key();
    }

    PieceLife life() {
        return life;
    }

    PieceStarter starter() {
        return starter;
    }

    // acceptance

    private void requireOpen() {
        if (closed) {
            Throwable cause = failure;
            throw engine.rejected(
                    RejectionCounts.Reason.SHUTDOWN,
                    describe() + (cause == null ? " is closed" : " was stopped by a failure")
                            + " and accepts no more pieces",
                    cause);
        }
    }

    /**
     * Gives a piece its place, and starts it, or throws.
     *
     * @return false if there is no room in the window
     */
    boolean tryPlace(Piece<T> piece) {
        requireOpen();
        boolean hasPlace = append(piece);
        if (hasPlace) {
            starter.start(piece);
        }
        return hasPlace;
    }

    /** Puts a piece into the first free slot, or throws; false if there is no room in the window. */
    private boolean append(Piece<T> piece) {
        for (; ; ) {
            Block<Piece<?>, Piece.Owner> block = slots.last();
            int index = slots.firstFree(block);
            Object here = index == block.length() ? Mark.OVER : block.get(index);
            if (here == Mark.LAST) {
                closed = true;
                requireOpen();
            } else if (!hasRoomFor(block.first + index)) {
                return false;
            } else if (here == null || here == Mark.FIRST) {
                boolean isFirst = here == Mark.FIRST;
                piece.placeIn(block, index, isFirst, ages.now(isFirst));
                if (isFirst ? isPlacedFirst(piece, block, index) : block.change(index, null, piece)) {
                    slots.taken(block, index);
                    return true;
                }
            }
        }
    }

    /** As long as a former count shows that there is room, a submitter does not look at what the server writes. */
    private boolean hasRoomFor(long position) {
        if (position - (long) OUT_OF_WINDOW_BEFORE.getOpaque(this) < window) {
            return true;
        }
        long outOfWindow = server.outOfWindow();
        OUT_OF_WINDOW_BEFORE.setOpaque(this, outOfWindow);
        return position - outOfWindow < window;
    }

    /** Takes a slot whose turn has come: this output is found from now on. */
    private boolean isPlacedFirst(Piece<T> piece, Block<Piece<?>, Piece.Owner> block, int index) {
        if (!segment.enter(this)) {
            throw engine.rejectedByShutdown();
        }
        long now = piece.placedAt();
        boolean isFirst = false;
        try {
            isFirst = block.change(index, Mark.FIRST, piece);
        } finally {
            if (!isFirst) {
                onEmpty();
            }
        }
        if (isFirst) {
            busySince = now;
        }
        return isFirst;
    }

    // as a key with limits

    @Override
    public int hash() {
        return hash;
    }

    @Override
    public boolean dropOldest() {
        return false;
    }

    @Override
    public String describe() {
        return host.describe();
    }

    @Override
    public String describeFull(int capacity) {
        return describe() + " has no room: its window is " + window
                + " pieces that are accepted and not written; the first of them is piece " + server.served();
    }

    @Override
    public Reason fullBecause(int capacity) {
        return new Reason(new Explanation.WindowFull(place(), window), PieceReasons.first(server, piece -> true));
    }

    Place place() {
        return host.place();
    }

    /** Explains what holds up the first piece; null if there is none. */
    @Nullable
    Explanation explain(boolean stacks) {
        Piece<?> head = PieceReasons.first(server, piece -> true);
        if (head == null) {
            return null;
        }
        boolean waits = PieceState.phase(head) == PieceState.WAITING;
        Duration waited = waits && engine.events() != null ? Duration.ofNanos(host.now() - head.placedAt()) : null;
        return Reasons.of(head, waits ? TaskReporter.submitted(head) : null, waited, stacks);
    }

    public void setWindow(int window) {
        this.window = window;
        onChange();
    }

    /** Lets all submitters that wait for room try again. */
    private void onChange() {
        Limits<?> limits = engine.limits();
        if (limits != null) {
            limits.onRoom();
        }
    }

    // what is served

    @Override
    @SuppressWarnings("unchecked") // only pieces of this type come here
    public void write(Piece<?> piece) {
        writer.write((Piece<T>) piece);
    }

    @Override
    public boolean onRoom() {
        Limits<?> limits = engine.limits();
        return limits == null || limits.onRoom(hash);
    }

    /** A thread that waits for the termination finds all flushed. */
    @Override
    public void onEmpty() {
        engine.onStrandEnd(hash, segment.leave(this));
    }

    // the end

    /**
     * Accepts no more pieces.
     *
     * @return a future that is done when all accepted ones are over
     */
    public CompletableFuture<@Nullable Void> end() {
        long end = slots.close();
        closed = true;
        // submitters that wait for room are to see that there will be none
        onChange();
        return server.whenServed(end);
    }

    @Override
    public void closeBecauseOf(Throwable failure) {
        this.failure = failure;
        var unused = end();
    }

    /** Accepts no more pieces, and cancels those that are not written. */
    @Override
    public void stop() {
        var unused = end();
        // from behind: the slot of one that is worked on is not to start another
        List<Piece<?>> open = new ArrayList<>();
        forEach(open::add);
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).cancel(true);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** The failure that has stopped this output; null if none has. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** A future that is done when all pieces are over that were accepted up to now. */
    public CompletableFuture<@Nullable Void> flush() {
        return server.whenServed(slots.end());
    }

    // looking at it

    /** Visits the pieces that are not over, in order. */
    void forEach(Consumer<? super Piece<?>> visitor) {
        server.forEach(visitor);
    }

    /**
     * Whether this output cannot end before the calling thread has done what it does: it works on a piece, or writes
     * its result, or completes its future.
     */
    public boolean isHeldUpHere() {
        Thread thread = Thread.currentThread();
        AtomicBoolean heldUp = new AtomicBoolean(server.isServedHere());
        forEach(piece -> {
            if (PieceState.holder(piece) == thread) {
                heldUp.set(true);
            }
        });
        return heldUp.get();
    }

    public OutputSnapshot snapshot() {
        // in this order: never more are seen open than there were
        long end = slots.end();
        long done = Math.min(server.outOfWindow(), end);
        List<Duration> age = new ArrayList<>(1);
        if (done < end) {
            forEach(piece -> {
                if (age.isEmpty() && piece.position() >= done) {
                    long placedAt = piece.placedAt();
                    age.add(Duration.ofNanos(ages.since(placedAt == PieceAges.UNKNOWN ? busySince : placedAt)));
                }
            });
        }
        return new OutputSnapshot(name(), window, end - done, done, age.isEmpty() ? Duration.ZERO : age.get(0));
    }
}
