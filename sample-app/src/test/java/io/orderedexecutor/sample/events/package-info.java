@NullMarked
package io.orderedexecutor.sample.events;

import org.jspecify.annotations.NullMarked;
