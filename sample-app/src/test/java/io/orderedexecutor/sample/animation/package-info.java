@NullMarked
package io.orderedexecutor.sample.animation;

import org.jspecify.annotations.NullMarked;
