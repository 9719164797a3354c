@NullMarked
package io.orderedexecutor.kafka.example;

import org.jspecify.annotations.NullMarked;
