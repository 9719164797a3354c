package io.orderedexecutor.spring.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Tells Spring to register what expressions reach by reflection. Apart from {@link OrderedAsync}, whose Javadoc would
 * name the processor, which is not API.
 */
@Target(ElementType.ANNOTATION_TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Reflective(OrderedAsyncReflectiveProcessor.class)
@interface ReflectiveKeys {}
