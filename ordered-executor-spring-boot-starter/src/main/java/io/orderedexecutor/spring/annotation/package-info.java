/**
 * {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync}, and what turns a call of an annotated method
 * into a task of a striped or a grouped executor.
 *
 * <p>The map: {@link io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor} puts an interceptor around beans
 * that have annotated methods. {@code OrderedAsyncOperations} finds those methods and checks, when the bean is created,
 * all that can be wrong with one ({@code Orderings}, {@code KeyExpression}, {@code ReturnKind}, {@code ExecutorBeans}
 * each check their part). What is left at run time is an {@code OrderedAsyncOperation} for each method with its
 * {@code Ordering}, and {@code OrderedAsyncInterceptor} that submits an {@code Invocation} of it.
 */
@NullMarked
package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.NullMarked;
