package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Reservation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call whose place is reserved: what the next call of an ordered method on this thread uses instead of a new place.
 */
final class ReservedCall {
    private static final ThreadLocal<@Nullable ReservedCall> NEXT = new ThreadLocal<>();

    private final @Nullable Reservation place;
    private @Nullable Invocation task;

    /**
     * Creates a call.
     *
     * @param place null if the call is only to be made into a task
     */
    ReservedCall(@Nullable Reservation place) {
        this.place = place;
    }

    /** Makes the call. */
    <T extends @Nullable Object> T make(Supplier<T> call) {
        NEXT.set(this);
        try {
            return call.get();
        } finally {
            NEXT.remove();
        }
    }

    /** The one that is to be made next on this thread; null if calls get places of their own. */
    static @Nullable ReservedCall takeNext() {
        ReservedCall next = NEXT.get();
        if (next != null) {
            NEXT.remove();
        }
        return next;
    }

    CompletableFuture<@Nullable Object> submit(Invocation call) {
        task = call;
        Reservation reserved = place;
        return reserved == null ? new CompletableFuture<>() : call.submitted(() -> reserved.submitAsync(call));
    }

    /** The call as a task; null if it did not come to that. */
    @Nullable
    Invocation task() {
        return task;
    }
}
