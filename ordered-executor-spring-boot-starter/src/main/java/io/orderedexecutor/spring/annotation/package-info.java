/**
 * {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync}, and what turns a call of an annotated method
 * into a task of a striped or a grouped executor.
 */
@NullMarked
package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.NullMarked;

/*
 * The map. OrderedAsyncPostProcessor puts an interceptor around beans that have annotated methods.
 * OrderedAsyncOperations finds those methods and checks, when the bean is created, all that can be wrong with one
 * (TaskSubmitterFactory, KeyExpression, ReturnKind, ExecutorBeans each check their part). What is left at run time is
 * an OrderedAsyncOperation for each method with its TaskSubmitter, and OrderedAsyncInterceptor that submits an
 * Invocation of it.
 */
