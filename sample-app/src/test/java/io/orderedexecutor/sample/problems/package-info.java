@NullMarked
package io.orderedexecutor.sample.problems;

import org.jspecify.annotations.NullMarked;
