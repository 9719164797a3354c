/**
 * Spring Boot's part: executors as beans, from {@code ordered-executor.*} properties, with a drain on shutdown; and
 * what can be seen of them from outside, and done to them: meters, actuator endpoints and health.
 */
@NullMarked
package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

/*
 * The map. There are six auto-configurations: OrderedExecutorAutoConfiguration for all that an application needs, which
 * is the one that others may name, and one each for meters, health, the two endpoints and observations. They are in one
 * package with what they make, so that none of it has to be public.
 *
 * OrderedExecutorProperties is what can be configured, Settings what an executor is made of, and ExecutorSection how
 * kinds of executors differ in both. PropertiesReader reads them as ConfiguredExecutors: PropertyReference knows the
 * names and the values of all properties. EnvironmentVariables finds out what a variable means, StrictBinding checks
 * each property by itself, SettingsCheck several together; PropertyFailures says what is wrong and where.
 * NamedExecutorBeanDefinitions defines a bean for every configured name, ExecutorFactory builds it. ExecutorsLifecycle
 * drains executors, ExecutorsShutdown ends them.
 *
 * ManagedExecutor is an executor seen from outside, with a subclass for each kind. OrderedExecutorMetrics measures it;
 * OrderedExecutorsEndpoint shows it as ExecutorDescriptor, in which Shown masks what belongs to the application, and
 * steers it by ExecutorChange and Action; OrderedExecutorsEndpointWebExtension does so over HTTP.
 * OrderedTimelineEndpoint records what executors do: Timeline writes events of the Flight Recorder, Trace makes them
 * what a viewer reads. OrderedAsyncObservations makes observations of calls.
 */
