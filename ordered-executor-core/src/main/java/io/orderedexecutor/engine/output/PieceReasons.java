package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.strand.TaskRun;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What holds a piece up, as its {@linkplain PieceState state} tells. To find the pieces before it takes a walk along
 * the window.
 */
final class PieceReasons {
    private PieceReasons() {}

    static Reason of(Piece<?> piece, PieceHost host, OutputServer server) {
        Place place = host.place();
        Thread holder = PieceState.holder(piece);
        switch (PieceState.phase(piece)) {
            case PieceState.RUNNING, PieceState.OWNED -> {
                return holder == null
                        ? Reason.NONE
                        : new Reason(
                                new Explanation.Running(place, taskOf(piece), ageOf(piece, host), holder, null),
                                holder);
            }
            case PieceState.STAGED -> {
                return new Reason(new Explanation.Incomplete(place, taskOf(piece), ageOf(piece, host)), null);
            }
            case PieceState.FINISHED -> {
                Piece<?> head = first(server, other -> true);
                return head == piece ? Reason.NONE : new Reason(null, head);
            }
            case PieceState.WAITING -> {
                return ofWaiting(piece, host, server);
            }
            default -> {
                return Reason.NONE;
            }
        }
    }

    private static Reason ofWaiting(Piece<?> piece, PieceHost host, OutputServer server) {
        Place place = host.place();
        Piece.Details details = piece.details();
        if (PieceState.isMarked(piece, PieceState.BACKING_OFF) && details != null) {
            Duration remaining = Duration.ofNanos(Math.max(0, details.until - host.now()));
            Object task = TaskReporter.submitted(piece);
            return new Reason(new Explanation.RetryPause(place, task, details.failure, remaining), null);
        }
        if (host.limit() != null
                && !PieceState.isMarked(piece, PieceState.HAS_SLOT)
                && !host.engine().isPaused()) {
            return new Reason(
                    new Explanation.ConcurrencyReached(place),
                    first(server, other -> PieceState.isMarked(other, PieceState.HAS_SLOT)));
        }
        return StrandReasons.ofBusy(host.engine(), place);
    }

    /** The first piece in the order of the output that is not over and is such a one; null if there is none. */
    static @Nullable Piece<?> first(OutputServer server, Predicate<? super Piece<?>> predicate) {
        AtomicReference<@Nullable Piece<?>> first = new AtomicReference<>();
        server.forEach(piece -> {
            if (first.get() == null && predicate.test(piece)) {
                first.set(piece);
            }
        });
        return first.get();
    }

    private static @Nullable Object taskOf(Piece<?> piece) {
        TaskRun run = piece.listenedRun();
        return run == null ? null : run.task();
    }

    private static @Nullable Duration ageOf(Piece<?> piece, PieceHost host) {
        TaskRun run = piece.listenedRun();
        return run == null || run.task() == null ? null : host.reporter().age(run);
    }
}
