/**
 * What can be seen of ordered executors from outside, and done to them: their meters, their actuator endpoint and their
 * health.
 */
@NullMarked
package io.orderedexecutor.spring.actuate;

import org.jspecify.annotations.NullMarked;

/*
 * The map. ManagedExecutor is an executor seen from outside, with a subclass for each kind. OrderedExecutorMetrics
 * measures it; OrderedExecutorsEndpoint shows it as ExecutorDescriptor, in which Shown masks what belongs to the
 * application, and steers it by ExecutorChange and Action; OrderedExecutorsEndpointWebExtension does so over HTTP.
 * OrderedTimelineEndpoint records what executors do: Timeline writes events of the Flight Recorder, Trace makes them
 * what a viewer reads.
 */
