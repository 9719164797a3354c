/**
 * What can be seen of ordered executors from outside, and done to them: their meters, their actuator endpoint and their
 * health.
 *
 * <p>The map: {@code ManagedExecutor} is an executor seen from outside, with a subclass for each kind.
 * {@code OrderedExecutorMetrics} measures it; {@code OrderedExecutorsEndpoint} shows it as {@code ExecutorDescriptor},
 * in which {@code Shown} masks what belongs to the application, and steers it by {@code ExecutorChange} and
 * {@code Action}; {@code OrderedExecutorsEndpointWebExtension} does so over HTTP.
 */
@NullMarked
package io.orderedexecutor.spring.actuate;

import org.jspecify.annotations.NullMarked;
