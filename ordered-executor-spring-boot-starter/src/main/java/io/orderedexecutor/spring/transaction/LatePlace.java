package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.GroupedSubmitter;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedSubmitter;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of a task for which no place was reserved, or whose reserved place is lost. The use of this place submits
 * the task, behind all tasks that are queued at this time, and throws the exceptions of the submission. So this place
 * has no lease that could end before its use.
 */
abstract sealed class LatePlace implements Reservation {
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    private LatePlace() {}

    static Reservation of(StripedSubmitter submitter, Object stripe) {
        return new OfStripe(Objects.requireNonNull(submitter, "submitter"), Objects.requireNonNull(stripe, "stripe"));
    }

    static Reservation of(GroupedSubmitter submitter, Groups groups) {
        return new OfGroups(Objects.requireNonNull(submitter, "submitter"), Objects.requireNonNull(groups, "groups"));
    }

    @Override
    public boolean isOpen() {
        return isOpen.get();
    }

    @Override
    public void close() {
        isOpen.set(false);
    }

    /**
     * Returns the task and closes this place, so that no other call submits the task again.
     *
     * @throws IllegalStateException if this place was used or closed before
     */
    final <T> T once(T task) {
        Objects.requireNonNull(task, "task");
        if (!isOpen.compareAndSet(true, false)) {
            throw new IllegalStateException("A late place was used before, so this task is not accepted");
        }
        return task;
    }

    private static final class OfStripe extends LatePlace {
        private final StripedSubmitter submitter;
        private final Object stripe;

        OfStripe(StripedSubmitter submitter, Object stripe) {
            this.submitter = submitter;
            this.stripe = stripe;
        }

        @Override
        public void execute(Runnable task) {
            submitter.execute(stripe, once(task));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
            return submitter.submit(stripe, once(task));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
                Supplier<? extends CompletionStage<T>> task) {
            return submitter.submitAsync(stripe, once(task));
        }
    }

    private static final class OfGroups extends LatePlace {
        private final GroupedSubmitter submitter;
        private final Groups groups;

        OfGroups(GroupedSubmitter submitter, Groups groups) {
            this.submitter = submitter;
            this.groups = groups;
        }

        @Override
        public void execute(Runnable task) {
            submitter.execute(groups, once(task));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
            return submitter.submit(groups, once(task));
        }

        @Override
        public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
                Supplier<? extends CompletionStage<T>> task) {
            return submitter.submitAsync(groups, once(task));
        }
    }
}
