package io.orderedexecutor.spring.annotation;

import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Submits calls instead of making them. */
final class OrderedAsyncInterceptor implements MethodInterceptor {
    private final OrderedAsyncOperations operations;
    private final TaskContext context;

    OrderedAsyncInterceptor(OrderedAsyncOperations operations, TaskContext context) {
        this.operations = operations;
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
        ReservedCall reserved = ReservedCall.takeNext(operation, targetClass, call.getArguments());
        CompletableFuture<@Nullable Object> future = reserved == null
                ? operation
                        .submitter()
                        .submit(call.getArguments(), arguments -> new Invocation(call, arguments, operation, context))
                : reserved.submit(new Invocation(call, call.getArguments(), operation, context));
        return operation.returnKind() == ReturnKind.VOID ? null : future;
    }
}
