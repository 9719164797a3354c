/**
 * Kafka listeners whose records run in order per key, on any number of threads, and are committed in order.
 *
 * <p>{@link io.orderedexecutor.kafka.OrderedByKey @OrderedByKey} on a {@code @KafkaListener} method is all that most
 * applications need. The container is Spring's own; {@link io.orderedexecutor.kafka.OrderedMessageListenerContainer}
 * describes how it is used.
 */
@NullMarked
package io.orderedexecutor.kafka;

import org.jspecify.annotations.NullMarked;
