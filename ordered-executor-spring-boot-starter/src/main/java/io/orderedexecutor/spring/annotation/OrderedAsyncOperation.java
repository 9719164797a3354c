package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;

/**
 * The description of an annotated method.
 *
 * @param method the method of the bean's class
 * @param annotation its annotation
 * @param submitter submits its calls
 * @param returnKind the kind of its return type
 */
record OrderedAsyncOperation(Method method, OrderedAsync annotation, TaskSubmitter submitter, ReturnKind returnKind) {}
