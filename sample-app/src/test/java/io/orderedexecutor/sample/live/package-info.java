@NullMarked
package io.orderedexecutor.sample.live;

import org.jspecify.annotations.NullMarked;
