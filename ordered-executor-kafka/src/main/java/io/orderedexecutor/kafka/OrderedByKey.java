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
 * <p>The annotation goes on a method, or on a class with {@code @KafkaListener} and {@code @KafkaHandler} methods. It
 * can be a meta-annotation. The executor and all other settings are configured under
 * {@code ordered-executor.kafka.listeners}, by the id of the listener.
 *
 * <p>The next record of a key starts only when the method has returned, and the {@code CompletableFuture} that it may
 * return is complete. The {@link #key} decides which records run in order. A listener has an executor of its own unless
 * one is configured. If the configured executor also runs calls of {@code @OrderedAsync(stripe = "#customer")}, records
 * and calls with equal keys are in one order.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective(KeyExpressionReflectiveProcessor.class)
public @interface OrderedByKey {

    /**
     * The key by which a record is ordered: a SpEL expression over {@code #record}, {@code #key}, {@code #value} and
     * {@code #headers} (a map of names to bytes), after deserialization and before message conversion. For example
     * {@code #value.customer}. Placeholders, as in <code>#headers['${header}']</code>, are resolved at the start.
     * Evaluated on the thread that polls, so it must not block.
     *
     * @return the expression; empty for the record's key
     */
    String key() default "";
}
