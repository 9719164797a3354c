/** Auto-configuration of ordered Kafka listeners. Nothing in it is meant to be used by applications. */
@NullMarked
package io.orderedexecutor.kafka.autoconfigure;

import org.jspecify.annotations.NullMarked;
