package io.orderedexecutor.kafka;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Checks the methods of an ordered listener, and refuses features that would break its order or its commits. */
final class ListenerMethodCheck {
    private final List<Method> methods;
    private final @Nullable Class<?> type;

    private ListenerMethodCheck(List<Method> methods, @Nullable Class<?> type) {
        this.methods = methods;
        this.type = type;
    }

    static ListenerMethodCheck of(KafkaListenerEndpoint endpoint) {
        if (!(endpoint instanceof MethodKafkaListenerEndpoint<?, ?> methodEndpoint)) {
            return new ListenerMethodCheck(List.of(), null);
        }
        Object bean = methodEndpoint.getBean();
        Class<?> type = bean == null ? null : AopUtils.getTargetClass(bean);
        Method method = methodEndpoint.getMethod();
        if (method != null) {
            Method specific = type == null ? method : AopUtils.getMostSpecificMethod(method, type);
            return new ListenerMethodCheck(List.of(specific), type);
        }
        return new ListenerMethodCheck(
                type == null
                        ? List.of()
                        : Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
                                .filter(each -> AnnotatedElementUtils.hasAnnotation(each, KafkaHandler.class))
                                .toList(),
                type);
    }

    /** The annotation of the listener, or null. */
    @Nullable
    OrderedByKey annotation() {
        for (Method method : methods) {
            OrderedByKey found = AnnotatedElementUtils.findMergedAnnotation(method, OrderedByKey.class);
            if (found != null) {
                return found;
            }
        }
        return type == null ? null : AnnotatedElementUtils.findMergedAnnotation(type, OrderedByKey.class);
    }

    String where(@Nullable String id) {
        return methods.isEmpty()
                ? "The ordered listener '" + id + "'"
                : "The ordered listener " + describe(methods.get(0));
    }

    void check() {
        for (Method method : methods) {
            if (Stream.of(method.getParameterTypes()).anyMatch(Acknowledgment.class::isAssignableFrom)) {
                throw new InvalidOrderedListenerException(
                        "The ordered listener " + describe(method)
                                + " has an Acknowledgment parameter, but its records are acknowledged in"
                                + " order when they are processed",
                        "Remove the parameter. To acknowledge by hand, use the plain container factory.");
            }
            if (isNotAwaited(method.getReturnType())) {
                throw new InvalidOrderedListenerException(
                        "The ordered listener " + describe(method) + " returns a "
                                + ClassUtils.getShortName(method.getReturnType())
                                + ", for which Spring's listener adapter does not wait, so its records would count as "
                                + "processed when the method returns",
                        "Return a CompletableFuture or a Mono; the key is held until that is complete.");
            }
            if (has(method, RetryableTopic.class)) {
                throw new InvalidOrderedListenerException(
                        "The ordered listener " + describe(method)
                                + " has @RetryableTopic, which runs a failed record after its successors",
                        "Remove @RetryableTopic, and set ordered-executor.kafka.listeners.<id>.retry and "
                                + "failure-policy instead.");
            }
            if (has(method, OrderedAsync.class)) {
                throw new InvalidOrderedListenerException(
                        "The ordered listener " + describe(method)
                                + " has @OrderedAsync as well, so its records would count as processed when"
                                + " they are only submitted",
                        "Remove @OrderedAsync: @OrderedByKey runs the method on the executor, in order.");
            }
            if (has(method, Async.class) && !CompletableFuture.class.isAssignableFrom(method.getReturnType())) {
                throw new InvalidOrderedListenerException(
                        "The ordered listener " + describe(method)
                                + " has @Async as well, so its records would count as processed when they are only"
                                + " handed over, to an executor that keeps no order",
                        "Remove @Async: @OrderedByKey runs the method on the executor, in order. Or return a"
                                + " CompletableFuture, which holds the key until it is complete.");
            }
        }
    }

    /**
     * Returns whether a result of this type may be incomplete when the method returns, although Spring's adapters wait
     * only for results of two other types.
     */
    private static boolean isNotAwaited(Class<?> type) {
        boolean isAwaited =
                CompletableFuture.class.isAssignableFrom(type) || type.getName().equals("reactor.core.publisher.Mono");
        return !isAwaited
                && (Future.class.isAssignableFrom(type)
                        || CompletionStage.class.isAssignableFrom(type)
                        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
    }

    private boolean has(Method method, Class<? extends Annotation> annotation) {
        return AnnotatedElementUtils.hasAnnotation(method, annotation)
                || (type != null && AnnotatedElementUtils.hasAnnotation(type, annotation));
    }

    private static String describe(Method method) {
        StringBuilder parameters = new StringBuilder();
        for (Class<?> parameter : method.getParameterTypes()) {
            parameters.append(parameters.isEmpty() ? "" : ", ").append(ClassUtils.getShortName(parameter));
        }
        return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
