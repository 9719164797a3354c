package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.engine.output.Slots.Block;
import io.orderedexecutor.engine.strand.AsyncAttempt;
import io.orderedexecutor.engine.strand.StageFuture;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.strand.TaskRun;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.stats.Explanation.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A piece of an {@link OrderedOutput}: its work, its future, and its place in the order, in one object. Who may do
 * something with it is up to its {@link PieceState}.
 *
 * @param <T> the type of the result
 */
public final class Piece<T extends @Nullable Object> extends TaskFuture<T> implements ConcurrencyLimit.Limited, HeldUp {

    /**
     * What the pieces of one output belong to. A class, since a slot is cast to it, and a cast to an interface writes
     * to a field that all threads share, on JDK 17.
     *
     * @param place as explanations have it
     */
    record Owner(Place place, Life life) {}

    /** What the pieces of one output do that is not known here. */
    interface Life {

        /** What holds a piece up. */
        Reason heldUpBy(Piece<?> piece);

        /** Does the work of a piece, if it waits for a thread. */
        void run(Piece<?> piece);

        /**
         * Does the work of a piece, for the thread that runs it.
         *
         * @return whether this thread is its owner now, since its turn has come
         */
        boolean work(Piece<?> piece, Thread thread);

        /** For the thread that runs or owns a piece, when memory or stack have run out. */
        void rescue(Piece<?> piece, Thread thread);

        /** Finds a thread for a piece that has waited. */
        void handOverAgain(Piece<?> piece);

        /** The stage of a piece is complete. Called once for each attempt. */
        void onStageTold(Piece<?> piece);

        /**
         * Tries to complete the future of a piece, and ends the piece if nobody else does.
         *
         * @param way returns whether it has completed the future
         */
        boolean complete(Piece<?> piece, BooleanSupplier way);

        /** Visits the pieces of this output that are not over, in order. */
        void forEach(Consumer<? super Piece<?>> visitor);

        String describe();
    }

    /** What is known of a piece that is asynchronous, has failed, or is listened to. Used by the holder. */
    static final class Details {
        @Nullable
        TaskRun run;

        /** When the work was finished, if there is a listener. */
        long finishedAt;

        int failures;

        /** What it has failed with last, and until when it is not tried again. */
        @Nullable
        Throwable failure;

        long until;

        @Nullable
        PieceStage stage;

        /** What was submitted, while the stage may have to be tried again. */
        @Nullable
        Object work;
    }

    /** What the work, or its stage, has failed with. */
    private record Failed(Throwable thrown) {}

    private static final Object LOST = new Object();

    /** What a piece that is over has belonged to is no longer known. */
    private static final Place OVER = new Place("", "output", null);

    private final boolean isStage;

    /** The phase and marks. Changed by {@link PieceState} only, by compare-and-set. */
    volatile int state;

    /**
     * The thread that runs or owns this piece. Written by that thread, in {@link PieceState}; it is null again before
     * the phase changes.
     */
    volatile @Nullable Thread holder;

    /** Where its slot is; null once it has ended. Written by the submitter, and by the thread that ends it. */
    private @Nullable Block<Piece<?>, Owner> block;

    private int index;

    /** When it was placed, by the clock of the platform; or {@link PieceAges#UNKNOWN}. */
    private long placedAt;

    /** What the work has given, or a {@link Failed}, or {@link #LOST}. Written by the holder, read by the next one. */
    private @Nullable Object result;

    /** Null of most pieces. Written by the holder. */
    private volatile @Nullable Details details;

    /**
     * Makes a piece that is to be submitted.
     *
     * @param isStage whether {@code work} is a supplier of a stage, and else a callable
     */
    public Piece(Object work, boolean isStage) {
        super(work, false);
        this.isStage = isStage;
    }

    // its place

    /** For the submitter, before it tries to place this piece. */
    void placeIn(Block<Piece<?>, Owner> block, int index, boolean hasTurn, long now) {
        this.block = block;
        this.index = index;
        this.placedAt = now;
        PieceState.begin(this, hasTurn);
    }

    long placedAt() {
        return placedAt;
    }

    long position() {
        Block<Piece<?>, Owner> here = block;
        return here == null ? -1 : here.first + index;
    }

    private @Nullable Life life() {
        Owner owner = owner();
        return owner == null ? null : owner.life;
    }

    private @Nullable Owner owner() {
        Block<Piece<?>, Owner> here = block;
        return here == null ? null : here.owner;
    }

    /**
     * The last step of the owner.
     *
     * @return whether the turn of this piece had come, and so this thread is the server
     */
    boolean end() {
        Block<Piece<?>, Owner> here = Objects.requireNonNull(block);
        forget();
        boolean hadTurn = PieceState.endState(this);
        if (!hadTurn) {
            here.over(index);
        }
        return hadTurn;
    }

    /** The last step of the server. */
    void endInTurn() {
        forget();
        PieceState.endStateInTurn(this);
    }

    private void forget() {
        result = null;
        block = null;
        if (details != null) {
            details = null;
        }
    }

    // its work

    @Override
    public boolean startInSlot() {
        Life life = life();
        boolean isMine = PieceState.takeSlot(this);
        if (isMine && life != null) {
            life.handOverAgain(this);
        }
        return isMine;
    }

    /** For the thread that runs or owns this piece. */
    @Nullable
    Object takeWork() {
        return takeAsOwner();
    }

    void putWorkBack(Object work) {
        putBack(work);
    }

    Runnable submitted() {
        return asSubmitted();
    }

    boolean isStage() {
        return isStage;
    }

    /** Does the work, for the thread that runs this piece; the result is kept, or its stage is. */
    @Override
    @SuppressWarnings("unchecked")
    public @Nullable AsyncAttempt perform(Object taken) throws Exception {
        if (isStage) {
            CompletionStage<T> stage = StageFuture.stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
            requireOthers(stage);
            PieceStage.begin(this, stage);
        } else {
            result = ((Callable<T>) taken).call();
        }
        return null;
    }

    @Nullable
    Details details() {
        return details;
    }

    Details makeDetails() {
        Details known = details;
        if (known == null) {
            known = new Details();
            details = known;
        }
        return known;
    }

    @Nullable
    TaskRun listenedRun() {
        Details known = details;
        return known == null ? null : known.run;
    }

    void setResult(@Nullable Object result) {
        this.result = result;
    }

    void setFailure(Throwable thrown) {
        this.result = new Failed(thrown);
    }

    /** There is no telling any more what this piece has given; allocates nothing. */
    void lose() {
        result = LOST;
    }

    boolean isLost() {
        return result == LOST;
    }

    /** What the work has given; of a piece that has not failed. */
    @SuppressWarnings("unchecked")
    @Nullable
    T result() {
        return (T) result;
    }

    /** What the work has failed with; null if it has not. */
    @Nullable
    Throwable thrown() {
        return result instanceof Failed failed ? failed.thrown : null;
    }

    /** For an executor, and for callers that take this for a mere {@link Runnable}. */
    @Override
    public void run() {
        Life life = life();
        if (life != null) {
            life.run(this);
        }
    }

    /** The stage is complete. */
    void onStageTold() {
        Life life = life();
        if (life != null) {
            life.onStageTold(this);
        }
    }

    // its future

    /** Completes the future, and does nothing else; for the server. */
    void written(@Nullable T value) {
        completeOnly(value);
    }

    @Override
    protected void interruptRunner() {
        PieceState.interruptRunner(this);
    }

    @Override
    protected boolean finish(BooleanSupplier way) {
        Life life = life();
        return life == null ? way.getAsBoolean() : life.complete(this, way);
    }

    // who waits for whom

    @Override
    public Place where() {
        Owner owner = owner();
        return owner == null ? OVER : owner.place;
    }

    @Override
    public Reason heldUpBy() {
        Life life = life();
        return life == null ? Reason.NONE : life.heldUpBy(this);
    }

    private boolean isBehind(Piece<?> other) {
        return life() == other.life() && position() > other.position();
    }

    @Override
    protected boolean waitsBehind(TaskFuture<?> running) {
        return running instanceof Piece<?> other && !isDone() && life() != null && isBehind(other);
    }

    @Override
    public List<Thread> awaitedThreads() {
        Life life = life();
        if (life == null || isDone()) {
            return List.of();
        }
        List<Thread> threads = new ArrayList<>();
        life.forEach(piece -> {
            Thread thread = piece.isBehind(this) ? null : PieceState.holder(piece);
            if (thread != null) {
                threads.add(thread);
            }
        });
        return threads;
    }

    @Override
    public String describe() {
        Object work = work();
        String task = work == null ? "the running task" : "task " + TaskReporter.toString(work);
        Life life = life();
        return life == null ? task : task + " of piece " + position() + " of " + life.describe();
    }

    @Override
    public @Nullable Unended unended() {
        return isDone() ? super.unended() : new Unended(where(), work(), null, this);
    }
}
