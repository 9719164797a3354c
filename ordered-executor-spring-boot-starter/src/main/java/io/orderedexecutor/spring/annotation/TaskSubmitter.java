package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Submits the calls of a method to the executor that keeps them in order, by the keys of each call. */
sealed interface TaskSubmitter permits TaskSubmitter.ByStripe, TaskSubmitter.ByGroups, CollectingSubmitter {

    /**
     * Submits a call. Its keys are found first: a call without them is the caller's mistake, whatever the state of the
     * executor.
     *
     * @param arguments of the call
     * @param call makes a task of the call, on the thread of the caller
     * @throws IllegalArgumentException if the keys cannot be found
     */
    CompletableFuture<@Nullable Object> submit(@Nullable Object[] arguments, Supplier<Invocation> call);

    /**
     * Reserves places for one call, without waiting for room. Its keys are found now.
     *
     * @param arguments of the call
     * @throws IllegalArgumentException if the keys cannot be found
     */
    Supplier<Reservation> placesFor(@Nullable Object[] arguments);

    /** What the executor does when it is full. */
    Overflow overflow();

    /** The name of the bean that keeps the order. */
    String executor();

    /** The kind of executor that this is, in a word. */
    String executorType();

    /**
     * Calls of the same stripe run one after another.
     *
     * @param stripe finds the stripe of a call
     * @param executors where the executor is found
     * @param executor the name of its bean
     * @param whenBusy what a call does if its stripe is busy
     */
    record ByStripe(
            KeyExpression stripe,
            ExecutorBeans<StripedExecutor> executors,
            String executor,
            OrderedAsync.WhenBusy whenBusy)
            implements TaskSubmitter {

        @Override
        public CompletableFuture<@Nullable Object> submit(@Nullable Object[] arguments, Supplier<Invocation> call) {
            Object key = stripe.evaluate(arguments);
            Invocation task = call.get();
            return task.submitted(() -> {
                StripedExecutor striped = executors.get(executor);
                WhenBusy mode = modeOf(task);
                if (mode == WhenBusy.queue()) {
                    return mustNotWait(striped)
                            ? withoutWaiting(striped, () -> striped.submitAsync(key, task, Overflow.reject()))
                            : striped.submitAsync(key, task);
                }
                return mustNotWait(striped)
                        ? withoutWaiting(striped, () -> striped.submitAsync(key, task, mode, Overflow.reject()))
                        : striped.submitAsync(key, task, mode);
            });
        }

        private WhenBusy modeOf(Invocation task) {
            return switch (whenBusy) {
                case LATEST -> WhenBusy.latest(task.slot());
                case INTERRUPT -> WhenBusy.interrupt(task.slot());
                case SKIP -> WhenBusy.skip();
                case QUEUE, COLLECT -> WhenBusy.queue();
            };
        }

        @Override
        public Supplier<Reservation> placesFor(@Nullable Object[] arguments) {
            Object key = stripe.evaluate(arguments);
            return () -> executors.get(executor).reserve(key, Overflow.reject());
        }

        @Override
        public Overflow overflow() {
            return executors.get(executor).settings().overflow();
        }

        @Override
        public String executorType() {
            return "striped";
        }
    }

    /**
     * Calls that have a group in common run one after another, unless both have it shared.
     *
     * @param groups finds the groups of a call; all groups for a barrier
     * @param executors where the executor is found
     * @param executor the name of its bean
     */
    record ByGroups(GroupsExpression groups, ExecutorBeans<GroupedExecutor> executors, String executor)
            implements TaskSubmitter {

        @Override
        public CompletableFuture<@Nullable Object> submit(@Nullable Object[] arguments, Supplier<Invocation> call) {
            var keys = groups.evaluate(arguments);
            Invocation task = call.get();
            return task.submitted(() -> {
                GroupedExecutor grouped = executors.get(executor);
                return mustNotWait(grouped)
                        ? withoutWaiting(grouped, () -> grouped.submitAsync(keys, task, Overflow.reject()))
                        : grouped.submitAsync(keys, task);
            });
        }

        @Override
        public Supplier<Reservation> placesFor(@Nullable Object[] arguments) {
            var keys = groups.evaluate(arguments);
            return () -> executors.get(executor).reserve(keys, Overflow.reject());
        }

        @Override
        public Overflow overflow() {
            return executors.get(executor).settings().overflow();
        }

        @Override
        public String executorType() {
            return "grouped";
        }
    }

    /** Whether this executor would let a thread wait that completes a transaction. */
    static boolean mustNotWait(OrderedExecutor executor) {
        return TransactionCompletion.isUnderWay() && executor.settings().overflow() instanceof Overflow.Block;
    }

    static <T extends @Nullable Object> CompletableFuture<T> withoutWaiting(
            OrderedExecutor executor, Supplier<CompletableFuture<T>> submission) {
        try {
            return submission.get();
        } catch (RejectedExecutionException rejection) {
            if (executor.isShutdown()) {
                throw rejection;
            }
            throw new RejectedExecutionException(
                    rejection.getMessage()
                            + "; a call that is made while a transaction completes does not wait for room, "
                            + "since it would"
                            + " keep the connection of the transaction",
                    rejection);
        }
    }
}
