/**
 * Support for tests of code that uses ordered executors. {@link io.orderedexecutor.test.SimulationTest @SimulationTest}
 * runs a test under many schedules, each of which can be repeated.
 *
 * <p>{@link io.orderedexecutor.test.SteppedExecutor} runs tasks one at a time, each when the test steps it: the test
 * can check the effects of a task before the next one starts. A stepped executor needs no test framework. For tests of
 * Spring applications, {@link io.orderedexecutor.test.spring.SteppedExecutorConfiguration} runs all auto-configured
 * executors on one stepped executor.
 */
@NullMarked
package io.orderedexecutor.test;

import org.jspecify.annotations.NullMarked;
