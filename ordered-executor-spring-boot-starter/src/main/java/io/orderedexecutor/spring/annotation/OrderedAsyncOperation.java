package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;

/**
 * What is known of an annotated method.
 *
 * @param method the method of the bean's class
 * @param stripe finds the stripe of a call
 * @param executor the name of the bean that runs the calls
 * @param returnKind what the method returns
 */
record OrderedAsyncOperation(Method method, StripeExpression stripe, String executor, ReturnKind returnKind) {}
