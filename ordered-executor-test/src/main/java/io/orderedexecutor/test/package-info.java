/**
 * For tests of code that uses ordered executors.
 *
 * <p>{@link io.orderedexecutor.test.SteppedExecutor} runs tasks when the test says so, one at a time: what has not run
 * has to wait, and what a task left behind can be looked at before the next one starts. It needs no test framework. For
 * tests of Spring applications, {@link io.orderedexecutor.test.spring.SteppedExecutorConfiguration} puts one underneath
 * all auto-configured executors.
 */
@NullMarked
package io.orderedexecutor.test;

import org.jspecify.annotations.NullMarked;
