/**
 * Spring Boot's part: executors as beans, from {@code ordered-executor.*} properties, with meters, an actuator endpoint
 * and a drain on shutdown.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

/*
 * The map. There are three auto-configurations, OrderedExecutorAutoConfiguration for all that an application needs, and
 * OrderedExecutorMetricsAutoConfiguration and OrderedExecutorsEndpointAutoConfiguration for what can be seen of it.
 * OrderedExecutorProperties is what can be configured; PropertiesReader refuses what is wrong with it, and
 * PropertyFailures says what. ExecutorSection is how kinds of executors differ in them; NamedExecutorBeanDefinitions
 * makes a bean of every configured name and ExecutorFactory builds it. ExecutorsLifecycle drains executors,
 * ExecutorsShutdown ends them.
 */
