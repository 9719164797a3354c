@NullMarked
package io.orderedexecutor.kafka.autoconfigure;

import org.jspecify.annotations.NullMarked;
