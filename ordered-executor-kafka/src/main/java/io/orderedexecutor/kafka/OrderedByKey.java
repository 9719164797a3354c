package io.orderedexecutor.kafka;

import io.orderedexecutor.spring.annotation.KeyExpressionReflectiveProcessor;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Lets the records of a {@code @KafkaListener} run in order per key, and records of different keys in parallel, on the
 * threads of a {@link io.orderedexecutor.StripedExecutor StripedExecutor}.
 *
 * <pre>{@code
 * @KafkaListener(id = "orders", topics = "orders")
 * @OrderedByKey
 * void on(OrderEvent event) { … }
 * }</pre>
 *
 * <p>On a method, or on a class with {@code @KafkaListener} and {@code @KafkaHandler} methods; also as a
 * meta-annotation. Which executor, and how, is configured by the listener's id, under
 * {@code ordered-executor.kafka.listeners}.
 *
 * <p>The key is held until the method has returned, and the {@code CompletableFuture} that it returned, if any, is
 * complete. What runs in one order is decided by {@link #key}. A listener has an executor of its own unless one is
 * configured; on one that they share, a record and an {@code @OrderedAsync(stripe = "#customer")} call with an equal
 * key are in one order, too.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective(KeyExpressionReflectiveProcessor.class)
public @interface OrderedByKey {

    /**
     * What a record belongs to: a SpEL expression over {@code #record}, {@code #key}, {@code #value} and
     * {@code #headers} (a map of names to bytes), as they were deserialized and before message conversion. For example
     * {@code #value.customer}. Placeholders, as in <code>#headers['${header}']</code>, are resolved at the start.
     * Evaluated on the thread that polls, so it must not block.
     *
     * @return the expression; empty for the record's key
     */
    String key() default "";
}
