/**
 * {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync}, and the classes that turn calls of annotated
 * methods into tasks of striped or grouped executors.
 */
@NullMarked
package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.NullMarked;

/*
 * The map. OrderedAsyncPostProcessor puts an interceptor around beans that have annotated methods.
 * OrderedAsyncOperations finds these methods and checks each of them when the bean is created; TaskSubmitterFactory,
 * KeyExpression, ReturnKind and ExecutorBeans each check their part. At run time, there is an OrderedAsyncOperation for
 * each method, with its TaskSubmitter. For each call, OrderedAsyncInterceptor submits an Invocation of the operation.
 */
