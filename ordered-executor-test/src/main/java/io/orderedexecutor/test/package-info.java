/**
 * For tests of code that uses ordered executors.
 *
 * <p>{@link io.orderedexecutor.test.SteppedExecutor} runs tasks when the test says so, one at a time: a task does not
 * run before the test steps it, and the test can check the effects of a task before the next one starts. It needs no
 * test framework. For tests of Spring applications, {@link io.orderedexecutor.test.spring.SteppedExecutorConfiguration}
 * puts one underneath all auto-configured executors.
 */
@NullMarked
package io.orderedexecutor.test;

import org.jspecify.annotations.NullMarked;
