package io.orderedexecutor.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes calls of a method tasks of a striped executor: calls of one stripe run one after another, in the order in which they
 * were made, and calls of different stripes in parallel. The caller does not wait.
 *
 * <pre>{@code
 * @OrderedAsync(stripe = "#order.customerId")
 * public CompletableFuture<Receipt> book(Order order) { ... }
 * }</pre>
 *
 * <p>On a type it holds for all public methods that the type and its subtypes declare, except those of {@link Object}; an
 * annotation of the method itself replaces it. It can be used as a meta-annotation, with {@link
 * org.springframework.core.annotation.AliasFor @AliasFor} attributes. As with all of Spring's proxies, a call within the
 * same object ({@code this.book(order)}) is a plain call and takes no turn.
 *
 * <p>With {@code ordered-executor.enabled=false} the annotation has no effect: calls then run on their callers' threads, which
 * wait, and calls of one stripe may run at the same time.
 *
 * <h2>Return types</h2>
 *
 * <ul>
 *   <li>{@code void}: what the method throws goes to the application's {@link
 *       org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler}, which is a bean of that type, or that of its {@link
 *       org.springframework.scheduling.annotation.AsyncConfigurer}, or one that logs.
 *   <li>{@link java.util.concurrent.CompletableFuture} or {@link java.util.concurrent.CompletionStage}: the stripe is held
 *       until the returned stage is complete; no thread is. The caller's future completes as the stage does.
 *   <li>{@link java.util.concurrent.Future}: the same if what is returned is a stage; otherwise it has to be done when the method
 *       returns it, since waiting for it would block a thread.
 * </ul>
 *
 * <p>Cancelling the caller's future before the method starts takes the task back. Afterwards the stripe goes on at once if the
 * method has returned its stage, which itself is not cancelled; or when the method returns, with its thread interrupted by
 * {@code cancel(true)}.
 *
 * <h2>Failures</h2>
 *
 * <p>What can be wrong with a declaration is found when the bean is created, and fails the start of the application: an unknown
 * variable or bean in the expression, a method that a proxy cannot intercept, another return type, {@code @Async} on the same
 * method, an executor that does not exist. A call throws {@link IllegalArgumentException} if its stripe is null or cannot be
 * evaluated, and {@link java.util.concurrent.RejectedExecutionException} if the executor refuses it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OrderedAsync {

    /**
     * What the call belongs to: a SpEL expression, evaluated on the thread of the caller. Its variables are the arguments, by
     * name ({@code #clientId}, {@code #order.customerId}) or by position ({@code #p0}, {@code #a0}); beans are {@code
     * @beanName}. Calls are of one stripe if the values are equal, so the type needs {@code equals} and {@code hashCode};
     * an array has neither.
     *
     * @return the expression
     */
    String stripe();

    /**
     * The name of the bean that runs the calls, a {@link io.orderedexecutor.StripedExecutor}. Placeholders ({@code ${...}}) are
     * resolved.
     *
     * @return the bean name; empty for the only executor, the primary one, or the one that is named {@code stripedExecutor}
     */
    String executor() default "";
}
