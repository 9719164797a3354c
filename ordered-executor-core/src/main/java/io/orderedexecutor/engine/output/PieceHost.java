package io.orderedexecutor.engine.output;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.strand.TaskRun;
import io.orderedexecutor.stats.Explanation.Place;
import org.jspecify.annotations.Nullable;

/**
 * What the pieces of an output run on and report to.
 *
 * @param engine the executor
 * @param key what users know the output by
 * @param name for messages
 * @param policy what happens when the work fails
 * @param limit how many are worked on at once; null if any number may be
 */
record PieceHost(
        Engine<?> engine,
        Object key,
        String name,
        FailurePolicy policy,
        @Nullable ConcurrencyLimit limit) {

    /** Lets a test fail the work of a piece in its place, if there is a listener. */
    void beforeWork() {
        if (reporter().events() != null) {
            engine.platform().beforeTask();
        }
    }

    Workers workers() {
        return engine.workers();
    }

    TaskReporter reporter() {
        return engine.reporter();
    }

    /** Whether a thread is called to the output, and not to each of its pieces. */
    boolean callsOnce() {
        return limit == null && workers().mayServeMany();
    }

    boolean holdsBack() {
        return engine.holdsBack();
    }

    boolean isStopping() {
        return engine.isStopping();
    }

    long now() {
        return engine.platform().nanoTime();
    }

    Place place() {
        return new Place(engine.name(), engine.keyType(), name);
    }

    String describe() {
        return "output '" + name + "' of " + engine.describe();
    }

    /** A piece no longer waits. */
    void onTaken() {
        Limits<?> limits = engine.limits();
        if (limits != null) {
            limits.onTaken();
        }
    }

    /** A piece waits again. */
    void onPutBack() {
        Limits<?> limits = engine.limits();
        if (limits != null) {
            limits.onPutBack();
        }
    }

    void leaveSlot(Piece<?> piece) {
        if (limit != null && PieceState.leaveSlot(piece)) {
            limit.release();
        }
    }

    /** Counts the end of a piece, and tells the listener if that has heard of a start. */
    void count(Piece<?> piece, @Nullable Throwable failure) {
        TaskRun run = piece.listenedRun();
        var end = reporter().countEnd(piece, failure);
        if (run != null) {
            reporter().tellEnd(key, run, piece, end, failure);
        }
    }
}
