/** A load from outside, for people who want to see it. */
@NullMarked
package io.orderedexecutor.sample.load;

import org.jspecify.annotations.NullMarked;
