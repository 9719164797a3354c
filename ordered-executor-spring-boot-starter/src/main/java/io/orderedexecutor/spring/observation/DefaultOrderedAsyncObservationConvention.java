package io.orderedexecutor.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.orderedexecutor.spring.observation.OrderedAsyncObservation.LowCardinalityKeyNames;
import java.lang.reflect.Method;

/**
 * The convention for one of the two observations, with its documented name and keys. Arguments of the call are not
 * among the keys, since they may have any number of values.
 */
public class DefaultOrderedAsyncObservationConvention implements OrderedAsyncObservationConvention {
    private final OrderedAsyncObservation observation;

    /**
     * Creates a convention.
     *
     * @param observation the observation that it is for
     */
    public DefaultOrderedAsyncObservationConvention(OrderedAsyncObservation observation) {
        this.observation = observation;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof OrderedAsyncObservationContext ours && ours.observation() == observation;
    }

    @Override
    public String getName() {
        return observation.getName();
    }

    @Override
    public String getContextualName(OrderedAsyncObservationContext context) {
        return describe(context.call().method()) + " " + observation.contextualSuffix();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(OrderedAsyncObservationContext context) {
        return KeyValues.of(
                LowCardinalityKeyNames.NAME.withValue(context.executorName()),
                LowCardinalityKeyNames.TYPE.withValue(context.executorType()),
                LowCardinalityKeyNames.METHOD.withValue(describe(context.call().method())));
    }

    private static String describe(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
