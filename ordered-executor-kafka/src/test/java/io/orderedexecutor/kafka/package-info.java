@NullMarked
package io.orderedexecutor.kafka;

import org.jspecify.annotations.NullMarked;
