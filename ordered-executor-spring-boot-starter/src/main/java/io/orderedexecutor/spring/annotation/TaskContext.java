package io.orderedexecutor.spring.annotation;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.aop.interceptor.SimpleAsyncUncaughtExceptionHandler;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The application's beans for asynchronous work of any kind: task decorators, and a handler of failures that no caller
 * sees. They are looked up at the first call, so that the beans are not created too early.
 *
 * @param decorators all decorator beans, in their order; the first is the outermost
 * @param failureHandler handles failures of void methods
 * @param observer is notified of calls; its value is empty if there is none
 */
record TaskContext(
        Supplier<List<TaskDecorator>> decorators,
        Supplier<AsyncUncaughtExceptionHandler> failureHandler,
        Supplier<Optional<OrderedAsyncObserver>> observer) {
    private static final Log logger = LogFactory.getLog(TaskContext.class);
    private static final String PROPAGATE_CONTEXT = "spring.task.execution.propagate-context";
    private static final String CONTEXT_SNAPSHOT = "io.micrometer.context.ContextSnapshot";

    static TaskContext of(ConfigurableListableBeanFactory beanFactory) {
        warnIfNothingIsPropagated(beanFactory);
        return new TaskContext(
                SingletonSupplier.of(() -> beanFactory
                        .getBeanProvider(TaskDecorator.class)
                        .orderedStream()
                        .toList()),
                SingletonSupplier.of(() -> findFailureHandler(beanFactory)),
                SingletonSupplier.of(() -> Optional.ofNullable(
                        beanFactory.getBeanProvider(OrderedAsyncObserver.class).getIfUnique())));
    }

    /**
     * Warns if context propagation is switched on but its library is missing: in this case, Spring Boot defines no
     * decorator, and does not warn.
     */
    private static void warnIfNothingIsPropagated(ConfigurableListableBeanFactory beanFactory) {
        boolean isWanted = beanFactory.getSingleton(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME)
                        instanceof Environment environment
                && environment.getProperty(PROPAGATE_CONTEXT, Boolean.class, false);
        if (isWanted && !ClassUtils.isPresent(CONTEXT_SNAPSHOT, beanFactory.getBeanClassLoader())) {
            logger.warn(
                    PROPAGATE_CONTEXT + " is true, but io.micrometer:context-propagation is not on the class path, so"
                            + " calls of @OrderedAsync methods have no trace, MDC or security context of their "
                            + "callers. Add the"
                            + " dependency, or remove the property.");
        }
    }

    private static AsyncUncaughtExceptionHandler findFailureHandler(ConfigurableListableBeanFactory beanFactory) {
        AsyncUncaughtExceptionHandler handler =
                beanFactory.getBeanProvider(AsyncUncaughtExceptionHandler.class).getIfUnique();
        if (handler == null) {
            AsyncConfigurer configurer =
                    beanFactory.getBeanProvider(AsyncConfigurer.class).getIfUnique();
            handler = configurer == null ? null : configurer.getAsyncUncaughtExceptionHandler();
        }
        return handler == null ? new SimpleAsyncUncaughtExceptionHandler() : handler;
    }

    /** Decorates a task; to be called on the thread that submits it, whose context the decorators read. */
    Runnable decorate(Runnable task) {
        Runnable decorated = task;
        List<TaskDecorator> all = decorators.get();
        for (int i = all.size() - 1; i >= 0; i--) {
            decorated = all.get(i).decorate(decorated);
        }
        return decorated;
    }

    /** Starts to observe a call; to be called on the thread that submits it. */
    CallObservation observe(OrderedAsyncCall call, TaskSubmitter submitter) {
        return observer.get()
                .map(found -> {
                    ExecutorBeans.Reported executor = submitter.executorReported();
                    return new CallObservation(found.submitted(call, executor.name(), executor.type()));
                })
                .orElse(CallObservation.NONE);
    }

    void report(Throwable failure, OrderedAsyncOperation operation, Object... arguments) {
        try {
            failureHandler.get().handleUncaughtException(failure, operation.method(), arguments);
        } catch (Throwable ofHandler) {
            logger.error(
                    "The AsyncUncaughtExceptionHandler failed on a failure of "
                            + InvalidOrderedAsyncException.describe(operation.method()),
                    ofHandler);
        }
    }
}
