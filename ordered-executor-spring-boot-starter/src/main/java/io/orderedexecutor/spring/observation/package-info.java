/**
 * Observations of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync} calls, for traces and timers.
 *
 * <p>The map: {@link io.orderedexecutor.spring.observation.OrderedAsyncObservation} documents the two observations that
 * each call makes, {@link io.orderedexecutor.spring.observation.OrderedAsyncObservationConvention} names them and their
 * keys, given an {@link io.orderedexecutor.spring.observation.OrderedAsyncObservationContext}.
 */
@NullMarked
package io.orderedexecutor.spring.observation;

import org.jspecify.annotations.NullMarked;
