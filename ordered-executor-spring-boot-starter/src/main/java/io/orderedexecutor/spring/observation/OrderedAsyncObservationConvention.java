package io.orderedexecutor.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observations of calls and their keys. A bean of this type is used for the observations that it
 * {@linkplain #supportsContext supports}, and the {@linkplain DefaultOrderedAsyncObservationConvention default} for all
 * others. To change names or keys, extend the default convention for one of the two observations.
 */
public interface OrderedAsyncObservationConvention extends ObservationConvention<OrderedAsyncObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OrderedAsyncObservationContext;
    }
}
