package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedSubmitter;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedSubmitter;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Submits the calls of a method to the executor that keeps them in order, by the keys of each call. */
sealed interface TaskSubmitter permits TaskSubmitter.ByStripe, TaskSubmitter.ByGroups, CollectingSubmitter {

    /**
     * Submits a call. Its keys are evaluated first: a call without a key is a mistake of the caller, whatever the state
     * of the executor.
     *
     * @param arguments of the call
     * @param call makes a task of the call with the given arguments, on the thread of the caller
     * @throws IllegalArgumentException if the keys cannot be found
     */
    CompletableFuture<@Nullable Object> submit(
            @Nullable Object[] arguments, Function<@Nullable Object[], Invocation> call);

    /**
     * Evaluates the keys of one call, and returns its places. Reserving a place does not wait for room.
     *
     * @param arguments of the call
     * @throws IllegalArgumentException if the keys cannot be found
     */
    Places placesFor(@Nullable Object[] arguments);

    /**
     * The two kinds of places for one call.
     *
     * @param reserved reserves a place
     * @param late creates a place whose use submits the call, without a reservation
     */
    record Places(Supplier<Reservation> reserved, Supplier<Reservation> late) {}

    /** Returns the overflow mode of the calls. */
    Overflow overflow();

    /** Returns the reported name and type of the executor. */
    ExecutorBeans.Reported executorReported();

    /** Returns the space of the keys. */
    KeySpace space();

    /** The declared types of the keys, as far as they are known before there is a call. */
    Set<Class<?>> keyTypes();

    /**
     * Calls of the same stripe run one after another.
     *
     * @param stripe finds the stripe of a call
     * @param space the space of the stripe
     * @param executors finds the executor
     * @param executor the name of its bean
     * @param whenBusy what a call does if its stripe is busy
     * @param ownOverflow the overflow policy of the method; null for that of the executor
     */
    record ByStripe(
            KeyExpression stripe,
            KeySpace space,
            ExecutorBeans<StripedExecutor> executors,
            String executor,
            OrderedAsync.Mode whenBusy,
            @Nullable Overflow ownOverflow)
            implements TaskSubmitter {

        @Override
        public CompletableFuture<@Nullable Object> submit(
                @Nullable Object[] arguments, Function<@Nullable Object[], Invocation> call) {
            Object key = key(arguments);
            Invocation task = call.apply(arguments);
            return task.submitted(() -> {
                StripedExecutor striped = executors.get(executor);
                WhenBusy mode = modeOf(task);
                StripedSubmitter submitter = mode == WhenBusy.queue() ? striped : striped.with(mode);
                return withoutWaiting(
                        striped,
                        ownOverflow,
                        overflow -> (overflow == null ? submitter : submitter.with(overflow)).submitAsync(key, task));
            });
        }

        Object key(@Nullable Object[] arguments) {
            return space.keyOf(stripe.evaluate(arguments));
        }

        private WhenBusy modeOf(Invocation task) {
            return switch (whenBusy) {
                case LATEST -> WhenBusy.latest(task.slot());
                case INTERRUPT -> WhenBusy.interrupt(task.slot());
                case REFUSE -> WhenBusy.refuse();
                case QUEUE, COLLECT -> WhenBusy.queue();
            };
        }

        @Override
        public Places placesFor(@Nullable Object[] arguments) {
            Object key = key(arguments);
            return new Places(() -> rejecting().reserve(key), () -> TransactionTask.late(rejecting(), key));
        }

        private StripedSubmitter rejecting() {
            return executors.get(executor).with(Overflow.reject());
        }

        @Override
        public Overflow overflow() {
            return ownOverflow == null
                    ? executors.get(executor).inspect().settings().overflow()
                    : ownOverflow;
        }

        @Override
        public ExecutorBeans.Reported executorReported() {
            return executors.reported(executor);
        }

        @Override
        public Set<Class<?>> keyTypes() {
            return stripe.keyTypes();
        }
    }

    /**
     * Calls that have a group in common run one after another, unless both have it shared.
     *
     * @param groups finds the groups of a call; all groups for a barrier
     * @param executors finds the executor
     * @param executor the name of its bean
     * @param ownOverflow the overflow policy of the method; null for that of the executor
     */
    record ByGroups(
            GroupsExpression groups,
            ExecutorBeans<GroupedExecutor> executors,
            String executor,
            @Nullable Overflow ownOverflow)
            implements TaskSubmitter {

        @Override
        public CompletableFuture<@Nullable Object> submit(
                @Nullable Object[] arguments, Function<@Nullable Object[], Invocation> call) {
            var keys = groups.evaluate(arguments);
            Invocation task = call.apply(arguments);
            return task.submitted(() -> {
                GroupedExecutor grouped = executors.get(executor);
                return withoutWaiting(
                        grouped,
                        ownOverflow,
                        overflow -> (overflow == null ? grouped : grouped.with(overflow)).submitAsync(keys, task));
            });
        }

        @Override
        public Places placesFor(@Nullable Object[] arguments) {
            var keys = groups.evaluate(arguments);
            return new Places(() -> rejecting().reserve(keys), () -> TransactionTask.late(rejecting(), keys));
        }

        private GroupedSubmitter rejecting() {
            return executors.get(executor).with(Overflow.reject());
        }

        @Override
        public Overflow overflow() {
            return ownOverflow == null
                    ? executors.get(executor).inspect().settings().overflow()
                    : ownOverflow;
        }

        @Override
        public ExecutorBeans.Reported executorReported() {
            return executors.reported(executor);
        }

        @Override
        public KeySpace space() {
            return groups.space();
        }

        @Override
        public Set<Class<?>> keyTypes() {
            return groups.keyTypes();
        }
    }

    /**
     * Submits with the overflow policy of a method, or with that of the executor if it is null. But on a thread that is
     * completing a transaction, the submission never waits for room.
     */
    static <T extends @Nullable Object> CompletableFuture<T> withoutWaiting(
            OrderedExecutor executor,
            @Nullable Overflow own,
            Function<@Nullable Overflow, CompletableFuture<T>> submission) {
        if (!TransactionCompletion.isUnderWay()) {
            return submission.apply(own);
        }
        Overflow overflow = own == null ? executor.inspect().settings().overflow() : own;
        if (!(overflow instanceof Overflow.Block)) {
            return submission.apply(own);
        }
        try {
            return submission.apply(Overflow.reject());
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
