/**
 * Support for tests of Spring applications: {@link io.orderedexecutor.test.spring.SteppedExecutorConfiguration
 * SteppedExecutorConfiguration}, to be imported, and
 * {@link io.orderedexecutor.test.spring.AutoConfigureOrderedExecutors @AutoConfigureOrderedExecutors}, for slices too.
 * The starter is an optional dependency of this module, so a test has to add it.
 */
@NullMarked
package io.orderedexecutor.test.spring;

import org.jspecify.annotations.NullMarked;
