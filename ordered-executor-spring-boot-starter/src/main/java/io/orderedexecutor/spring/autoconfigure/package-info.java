/**
 * Spring Boot's part: executors as beans, from {@code ordered-executor.*} properties, with meters, an actuator endpoint and a
 * drain on shutdown.
 *
 * <p>The map: {@code OrderedExecutorProperties} is what can be configured, {@code PropertiesReader} refuses what is wrong with it, {@code
 * StripedExecutorBeanDefinitions} makes a bean of every configured name, and {@code StripedExecutorFactory} builds them.
 * {@code ExecutorsLifecycle} drains them.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
