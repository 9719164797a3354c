package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.Reservation;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of a task that has to run, since its transaction has committed. If no place was reserved, or the lease of
 * the reserved place has ended, even just before the use, a late place is used instead. This class records whether the
 * executor has accepted the task. Used by one thread.
 */
final class CommittedPlace implements Reservation {
    private final @Nullable Reservation place;
    private final Supplier<Reservation> late;
    private boolean isAccepted;
    private boolean isLate;

    /**
     * Creates a place.
     *
     * @param place the reserved place, neither used nor given back; null if none was reserved
     * @param late creates the place to use instead; called at most once
     */
    CommittedPlace(@Nullable Reservation place, Supplier<Reservation> late) {
        this.place = place;
        this.late = late;
    }

    /** Returns whether the executor has accepted the task. If so, the task may run although an exception follows. */
    boolean isAccepted() {
        return isAccepted;
    }

    /** Returns whether the executor has accepted the task, but not in a place that was reserved before the commit. */
    boolean isAcceptedLate() {
        return isAccepted && isLate;
    }

    @Override
    public void execute(Runnable task) {
        this.<@Nullable Void>use(open -> {
            open.execute(task);
            return null;
        });
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        return use(open -> open.submit(task));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task) {
        return use(open -> open.submitAsync(task));
    }

    private <T extends @Nullable Object> T use(Function<Reservation, T> submission) {
        if (isAccepted) {
            throw new IllegalStateException("The place was used before, so this task is not accepted");
        }
        T result = submitted(submission);
        isAccepted = true;
        return result;
    }

    private <T extends @Nullable Object> T submitted(Function<Reservation, T> submission) {
        if (place != null) {
            try {
                return submission.apply(place);
            } catch (IllegalStateException over) {
                // the place is gone, and Reservation specifies that the task then does not run
            }
        }
        isLate = true;
        return submission.apply(late.get());
    }

    @Override
    public boolean isOpen() {
        return !isAccepted;
    }

    @Override
    public void close() {
        if (place != null) {
            place.close();
        }
    }
}
