/** The actuator endpoint and the health of ordered Kafka listeners. */
@NullMarked
package io.orderedexecutor.kafka.actuate;

import org.jspecify.annotations.NullMarked;
