/**
 * The integration with Spring Boot: executors as beans from {@code ordered-executor.*} properties, with a drain on
 * shutdown, and meters, actuator endpoints and health to observe and steer them.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

/*
 * The map. There are six auto-configurations: OrderedExecutorAutoConfiguration for the executors and everything that
 * they need, and one each for meters, health, observations and the two endpoints. Applications and other
 * auto-configurations may refer only to the first. All are in one package with the classes that they use, so that these
 * need not be public.
 *
 * OrderedExecutorProperties defines the properties, Settings the settings of one executor, and ExecutorSection the
 * differences between the kinds of executors. PropertiesReader reads the properties as ConfiguredExecutors.
 * PropertyReference knows the names and the valid values of all properties. EnvironmentVariables finds the properties
 * that variables mean. StrictBinding checks single properties, and SettingsCheck checks combinations; PropertyFailures
 * creates the exceptions, with problem and place. NamedExecutorBeanDefinitions defines a bean for every configured
 * name, and ExecutorFactory builds the executor. ExecutorsLifecycle drains executors; ExecutorsHardStop and
 * ExecutorsShutdown end them.
 *
 * ManagedExecutor is the view of an executor from outside, with a subclass for each kind. OrderedExecutorMetrics
 * measures it. OrderedExecutorsEndpoint shows it as ExecutorDescriptor, in which Shown masks the values of the
 * application, and steers it by ExecutorChange and Action. OrderedExecutorsEndpointWebExtension does the same over
 * HTTP. OrderedTimelineEndpoint records the events of executors: Timeline writes them to the Flight Recorder, and Trace
 * converts them for a viewer. OrderedAsyncObservations makes the observations of calls.
 */
