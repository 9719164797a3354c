/**
 * Kafka listeners whose records run in order per key, on as many threads as one likes, and are committed in order.
 *
 * <p>{@link io.orderedexecutor.kafka.OrderedByKey @OrderedByKey} on a {@code @KafkaListener} method is all that most
 * applications need. The container is Spring's own; how it is driven is told in
 * {@link io.orderedexecutor.kafka.OrderedMessageListenerContainer}.
 */
@NullMarked
package io.orderedexecutor.kafka;

import org.jspecify.annotations.NullMarked;
