package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.strand.TakenBack;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.strand.TaskRun;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.RunningTask;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** What an executor does with an output from outside: live control, shutdown and observation. Called by any thread. */
final class OutputControl {
    private OutputControl() {}

    /** Finds threads for what memory or stack have run out for. */
    static void adoptUnattended(OutputSequence<?> output) {
        if (output.life().server().attend()) {
            unpause(output);
            output.starter().callAgain();
        }
    }

    /** Lets go on what was put aside. */
    static void unpause(OutputSequence<?> output) {
        output.forEach(output.life()::unpause);
    }

    static void onShutdown(OutputSequence<?> output) {
        adoptUnattended(output);
        unpause(output);
    }

    /** Takes back what waits. */
    static void takeBack(OutputSequence<?> output, TakenBack unstarted) {
        output.forEach(piece -> {
            unstarted.makeRoom(1);
            Runnable submitted = output.life().ends().takeBack(piece);
            if (submitted != null) {
                unstarted.add(submitted);
            }
        });
    }

    /** Cancels what nobody does anything for, and interrupts what is worked on or written. */
    static void stop(OutputSequence<?> output) {
        output.forEach(piece -> {
            int phase = PieceState.phase(piece);
            if (phase == PieceState.STAGED || phase == PieceState.FINISHED) {
                piece.cancel(true);
            }
            PieceState.interruptHolder(piece);
        });
        adoptUnattended(output);
    }

    static void forEachRunning(OutputSequence<?> output, Consumer<? super RunningTask> visitor) {
        TaskReporter reporter = output.life().host().reporter();
        output.forEach(piece -> {
            Thread thread = PieceState.holder(piece);
            TaskRun run = piece.listenedRun();
            if (PieceState.isActive(piece)) {
                visitor.accept(
                        run == null
                                ? new RunningTask(output.key(), thread, null, null)
                                : new RunningTask(output.key(), thread, run.task(), reporter.age(run)));
            }
        });
    }

    /** Explains the first piece, if it is worked on or has waited for at least so long. */
    static void forStuck(OutputSequence<?> output, long nanos, Consumer<? super Explanation> visitor) {
        TaskReporter reporter = output.life().host().reporter();
        Piece<?> head = PieceReasons.first(output.life().server(), piece -> true);
        if (head == null || reporter.events() == null) {
            return;
        }
        TaskRun run = head.listenedRun();
        long age = run != null && run.task() != null
                ? reporter.age(run).toNanos()
                : output.life().host().now() - head.placedAt();
        Explanation explanation = age < nanos ? null : output.explain(false);
        if (explanation != null) {
            visitor.accept(explanation);
        }
    }

    /** Visits when the piece was placed that has waited longest for a thread. */
    static void forOldestQueuedAt(OutputSequence<?> output, LongConsumer visitor) {
        List<Long> first = new ArrayList<>(1);
        output.forEach(piece -> {
            if (first.isEmpty() && PieceState.phase(piece) == PieceState.WAITING) {
                first.add(piece.placedAt());
            }
        });
        first.forEach(visitor::accept);
    }
}
