/**
 * Spring Boot's part: executors as beans, from {@code ordered-executor.*} properties, with meters, an actuator endpoint
 * and a drain on shutdown.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

/*
 * The map. There are five auto-configurations: OrderedExecutorAutoConfiguration for all that an application needs, and
 * one each for meters, health, the endpoint and observations.
 *
 * OrderedExecutorProperties is what can be configured, Settings what an executor is made of, and ExecutorSection how
 * kinds of executors differ in both. PropertiesReader reads them as ConfiguredExecutors: PropertyReference knows the
 * names and the values of all properties. EnvironmentVariables finds out what a variable means, StrictBinding checks
 * each property by itself, SettingsCheck several together; PropertyFailures says what is wrong and where.
 * NamedExecutorBeanDefinitions defines a bean for every configured name, ExecutorFactory builds it. ExecutorsLifecycle
 * drains executors, ExecutorsShutdown ends them.
 */
