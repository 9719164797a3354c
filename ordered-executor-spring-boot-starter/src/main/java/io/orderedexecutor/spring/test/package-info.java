/**
 * For tests of applications: {@link io.orderedexecutor.spring.test.TestThread} makes the order in which tasks run
 * theirs.
 */
@NullMarked
package io.orderedexecutor.spring.test;

import org.jspecify.annotations.NullMarked;
