package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.Reservation;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of a task whose transaction has committed, so that the task has to run: if the lease of the place is over,
 * even between a look at it and its use, another place is used instead.
 */
final class CommittedPlace implements Reservation {
    private final Reservation place;
    private final Supplier<Reservation> late;

    /**
     * Creates a place.
     *
     * @param place not used or given back before
     * @param late reserves another place
     */
    CommittedPlace(Reservation place, Supplier<Reservation> late) {
        this.place = place;
        this.late = late;
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
        try {
            return submission.apply(place);
        } catch (IllegalStateException over) {
            return submission.apply(late.get());
        }
    }

    @Override
    public boolean isOpen() {
        return place.isOpen();
    }

    @Override
    public void close() {
        place.close();
    }
}
