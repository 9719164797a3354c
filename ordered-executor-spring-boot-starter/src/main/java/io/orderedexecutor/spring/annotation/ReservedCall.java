package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Reservation;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;

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
     * @param method the method of the bean's class, as far as it is known before the bean exists
     * @param place the reserved place; null if the call is only turned into a task
     */
    ReservedCall(Method method, @Nullable Reservation place) {
        this.method = method;
        this.place = place;
    }

    /** Makes the call. */
    <T extends @Nullable Object> T make(Supplier<T> call) {
        // the creation of the bean of another call may have a transaction of its own, whose events come here
        ReservedCall outer = NEXT.get();
        NEXT.set(this);
        try {
            return call.get();
        } finally {
            if (outer == null) {
                NEXT.remove();
            } else {
                NEXT.set(outer);
            }
        }
    }

    /**
     * Takes the reserved call of this thread, if it is a call of the given method. Returns null if the call gets a
     * place of its own.
     *
     * @param method the method of the bean's class
     * @param beanClass the class of the bean
     */
    static @Nullable ReservedCall takeNext(Method method, Class<?> beanClass) {
        ReservedCall next = NEXT.get();
        if (next == null || !next.isOf(method, beanClass)) {
            return null;
        }
        NEXT.remove();
        return next;
    }

    /** Compares the methods as the bean's class has them: before the bean exists, only its interface may be known. */
    private boolean isOf(Method called, Class<?> beanClass) {
        return method.equals(called)
                || (method.getDeclaringClass().isAssignableFrom(beanClass)
                        && BridgeMethodResolver.getMostSpecificMethod(method, beanClass)
                                .equals(called));
    }

    CompletableFuture<@Nullable Object> submit(Invocation call) {
        task = call;
        Reservation reserved = place;
        return call.submitted(() -> reserved == null ? notSubmitted() : reserved.submitAsync(call));
    }

    /** The future of a call that is not queued, so that the observer does not wait for its start. */
    private static CompletableFuture<@Nullable Object> notSubmitted() {
        CompletableFuture<@Nullable Object> cancelled = new CompletableFuture<>();
        cancelled.cancel(false);
        return cancelled;
    }

    /** Returns the call as a task; null if the call was not submitted. */
    @Nullable
    Invocation task() {
        return task;
    }
}
