package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A call that may be joined with others: an item of a batch. */
final class CollectedCall implements OrderedAsyncCall {

    /**
     * The properties that calls must have in common to be joined.
     *
     * @param target the bean, which is compared by identity
     * @param arguments all arguments except the list
     */
    private record Companions(@Nullable Object target, List<@Nullable Object> arguments) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Companions that && target == that.target && arguments.equals(that.arguments);
        }

        @Override
        public int hashCode() {
            return arguments.hashCode();
        }
    }

    private final Invocation call;
    private final int listAt;
    private final List<?> part;
    private final Companions companions;
    private final PartFuture future = new PartFuture();

    /** Written when the method has returned, before the batch ends, which completes the caller's future. */
    private @Nullable Object result;

    /** @param arguments have a list that nobody changes */
    CollectedCall(Invocation call, Collecting collecting, @Nullable Object[] arguments) {
        this.call = call;
        this.listAt = collecting.listAt();
        this.part = (List<?>) Objects.requireNonNull(arguments[listAt]);
        List<@Nullable Object> others = new ArrayList<>(Arrays.asList(arguments));
        others.remove(listAt);
        this.companions = new Companions(call.target(), others);
    }

    Invocation call() {
        return call;
    }

    List<?> part() {
        return part;
    }

    Object companions() {
        return companions;
    }

    PartFuture future() {
        return future;
    }

    /** Sets the result for the caller. Called by the thread that completes the stage of the method. */
    void setResult(@Nullable Object result) {
        this.result = result;
    }

    /** Completes the caller's future when the turn ends, and cancels the turn if that future is completed earlier. */
    @SuppressWarnings("FutureReturnValueIgnored") // only the actions matter
    PartFuture follow(CompletableFuture<@Nullable Void> turn) {
        future.turn = turn;
        turn.whenComplete((nothing, failure) -> {
            if (failure == null) {
                future.complete(result);
            } else {
                future.completeExceptionally(failure);
            }
        });
        future.whenComplete((nothing, failure) -> turn.cancel(true));
        return future;
    }

    @Override
    public Method method() {
        return call.method();
    }

    @Override
    public List<@Nullable Object> arguments() {
        return call.arguments();
    }

    @Override
    public void run() {
        call.run(listAt, part);
    }

    @Override
    public String toString() {
        return call.toString();
    }

    /**
     * The future of a caller. Waiting for this future first waits for the turn of the call, so that the executor
     * notices if a task waits for itself.
     */
    static final class PartFuture extends CompletableFuture<@Nullable Object> {
        private @Nullable CompletableFuture<@Nullable Void> turn;

        @Override
        public @Nullable Object join() {
            CompletableFuture<@Nullable Void> awaited = turn;
            if (awaited != null && !isDone()) {
                try {
                    var unused = awaited.join();
                } catch (CompletionException | CancellationException ended) {
                    // this future ends in the same way
                }
            }
            return super.join();
        }

        @Override
        public @Nullable Object get() throws InterruptedException, ExecutionException {
            CompletableFuture<@Nullable Void> awaited = turn;
            if (awaited != null && !isDone()) {
                try {
                    var unused = awaited.get();
                } catch (ExecutionException | CancellationException ended) {
                    // this future ends in the same way
                }
            }
            return super.get();
        }

        @Override
        public @Nullable Object get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            CompletableFuture<@Nullable Void> awaited = turn;
            if (awaited != null && !isDone()) {
                try {
                    var unused = awaited.get(timeout, unit);
                } catch (ExecutionException | CancellationException ended) {
                    // this future ends in the same way
                }
            }
            // this future ends right after the turn
            return super.get(timeout, unit);
        }
    }
}
