package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Reservation;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;

/**
 * A call with a reserved place. The next call of its method for its event on this thread uses that place instead of a
 * new one. Other calls that the thread makes before that, to create the bean or to authorize the call, get places of
 * their own.
 */
final class ReservedCall {
    private static final ThreadLocal<@Nullable ReservedCall> NEXT = new ThreadLocal<>();

    private final OrderedAsyncOperation operation;
    private final @Nullable Object[] arguments;
    private final @Nullable Reservation place;
    private @Nullable Invocation task;

    /**
     * Creates a call.
     *
     * @param operation of the bean's class, as far as it is known before the bean exists
     * @param arguments of the call
     * @param place the reserved place; null if the call is only turned into a task
     */
    ReservedCall(OrderedAsyncOperation operation, @Nullable Object[] arguments, @Nullable Reservation place) {
        this.operation = operation;
        this.arguments = arguments;
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
     * Takes the reserved call of this thread, if it is the given one. Returns null if the call gets its own place.
     *
     * @param called the operation of the bean's class
     * @param beanClass the class of the bean
     * @param arguments of the call
     */
    static @Nullable ReservedCall takeNext(
            OrderedAsyncOperation called, Class<?> beanClass, @Nullable Object[] arguments) {
        ReservedCall next = NEXT.get();
        if (next == null || !next.isOf(called, beanClass) || !next.isFor(arguments)) {
            return null;
        }
        NEXT.remove();
        return next;
    }

    /**
     * Compares the methods as the bean's class has them: before the bean exists, only its interface may be known. If
     * the class has an annotation of its own, the place may be one of another key.
     */
    private boolean isOf(OrderedAsyncOperation called, Class<?> beanClass) {
        Method method = operation.method();
        return method.equals(called.method())
                || (method.getDeclaringClass().isAssignableFrom(beanClass)
                        && BridgeMethodResolver.getMostSpecificMethod(method, beanClass)
                                .equals(called.method())
                        && operation.annotation().equals(called.annotation()));
    }

    /** Compares the events by identity: another bean of the interface may be called for an equal one. */
    private boolean isFor(@Nullable Object[] ofCall) {
        for (int i = 0; i < arguments.length; i++) {
            // a primitive is boxed again for each call
            boolean isSame = operation.method().getParameterTypes()[i].isPrimitive()
                    ? Objects.equals(arguments[i], ofCall[i])
                    : arguments[i] == ofCall[i];
            if (!isSame) {
                return false;
            }
        }
        return true;
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
