package io.orderedexecutor.spring.annotation;

import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Submits calls instead of making them. */
final class OrderedAsyncInterceptor implements MethodInterceptor {
    private final OrderedAsyncOperations operations;
    private final ExecutorBeans executors;
    private final TaskContext context;

    OrderedAsyncInterceptor(OrderedAsyncOperations operations, ExecutorBeans executors, TaskContext context) {
        this.operations = operations;
        this.executors = executors;
        this.context = context;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> targetClass = target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        OrderedAsyncOperation operation = operations.find(call.getMethod(), targetClass);
        if (operation == null) {
            return call.proceed();
        }
        // in this order: a call without a stripe is the caller's mistake, whatever the state of the executor
        Object stripe = operation.stripe().evaluate(call.getArguments());
        CompletableFuture<@Nullable Object> future =
                executors.get(operation.executor()).submitAsync(stripe, new Invocation(call, operation, context));
        return operation.returnKind() == ReturnKind.VOID ? null : future;
    }
}
