/**
 * Spring Boot's part: executors as beans, from {@code ordered-executor.*} properties, with meters, an actuator endpoint
 * and a drain on shutdown.
 *
 * <p>The map: there are three auto-configurations,
 * {@link io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration} for all that an application needs,
 * and {@link io.orderedexecutor.spring.autoconfigure.OrderedExecutorMetricsAutoConfiguration} and
 * {@link io.orderedexecutor.spring.autoconfigure.OrderedExecutorsEndpointAutoConfiguration} for what can be seen of it.
 * {@code OrderedExecutorProperties} is what can be configured; {@code PropertiesReader} refuses what is wrong with it,
 * and {@code PropertyFailures} says what. {@code ExecutorSection} is how kinds of executors differ in them;
 * {@code NamedExecutorBeanDefinitions} makes a bean of every configured name and {@code ExecutorFactory} builds it.
 * {@code ExecutorsLifecycle} drains executors, {@code ExecutorsShutdown} ends them.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
