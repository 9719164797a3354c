/**
 * For tests of Spring applications: {@link io.orderedexecutor.test.spring.SteppedExecutorConfiguration
 * SteppedExecutorConfiguration}, to be imported, and
 * {@link io.orderedexecutor.test.spring.AutoConfigureOrderedExecutors @AutoConfigureOrderedExecutors}, for slices too.
 * Needs the starter on the class path, which the module does not bring along.
 */
@NullMarked
package io.orderedexecutor.test.spring;

import org.jspecify.annotations.NullMarked;
