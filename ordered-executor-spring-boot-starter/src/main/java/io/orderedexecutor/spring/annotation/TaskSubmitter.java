package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Submits the calls of a method to the executor that keeps them in order, by the keys of each call. */
sealed interface TaskSubmitter {

    /**
     * Submits a call. Its keys are found first: a call without them is the caller's mistake, whatever the state of the
     * executor.
     *
     * @param arguments of the call
     * @param call makes a task of the call, on the thread of the caller
     * @throws IllegalArgumentException if the keys cannot be found
     */
    CompletableFuture<@Nullable Object> submit(@Nullable Object[] arguments, Supplier<Invocation> call);

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
     */
    record ByStripe(KeyExpression stripe, ExecutorBeans<StripedExecutor> executors, String executor)
            implements TaskSubmitter {

        @Override
        public CompletableFuture<@Nullable Object> submit(@Nullable Object[] arguments, Supplier<Invocation> call) {
            Object key = stripe.evaluate(arguments);
            Invocation task = call.get();
            return task.submitted(() -> executors.get(executor).submitAsync(key, task));
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
            return task.submitted(() -> executors.get(executor).submitAsync(keys, task));
        }

        @Override
        public String executorType() {
            return "grouped";
        }
    }
}
