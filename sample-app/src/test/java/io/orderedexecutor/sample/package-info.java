@NullMarked
package io.orderedexecutor.sample;

import org.jspecify.annotations.NullMarked;
