package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Reservation;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call with a reserved place. The next call of its method on this thread uses that place instead of a new one. Calls
 * of other methods that the thread makes before that, to create the bean or to authorize the call, get places of their
 * own.
 */
final class ReservedCall {
    private static final ThreadLocal<@Nullable ReservedCall> NEXT = new ThreadLocal<>();

    private final Method method;
    private final @Nullable Reservation place;
    private @Nullable Invocation task;

    /**
     * Creates a call.
     *
     * @param method the method of the bean's class
     * @param place the reserved place; null if the call is only turned into a task
     */
    ReservedCall(Method method, @Nullable Reservation place) {
        this.method = method;
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

    /**
     * Takes the reserved call of this thread, if it is a call of the given method. Returns null if the call gets a
     * place of its own.
     */
    static @Nullable ReservedCall takeNext(Method method) {
        ReservedCall next = NEXT.get();
        if (next == null || !next.method.equals(method)) {
            return null;
        }
        NEXT.remove();
        return next;
    }

    CompletableFuture<@Nullable Object> submit(Invocation call) {
        task = call;
        Reservation reserved = place;
        return reserved == null ? new CompletableFuture<>() : call.submitted(() -> reserved.submitAsync(call));
    }

    /** Returns the call as a task; null if the call was not submitted. */
    @Nullable
    Invocation task() {
        return task;
    }
}
