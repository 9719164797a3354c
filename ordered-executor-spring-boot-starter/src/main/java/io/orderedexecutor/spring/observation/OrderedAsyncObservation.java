package io.orderedexecutor.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of a call of an {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync} method. The
 * parent of both is the observation that is current when the call is made. If an observation fails, its {@code error}
 * is the reason.
 */
public enum OrderedAsyncObservation implements ObservationDocumentation {

    /**
     * From the submission of a call to its start; failed if the call is refused, or if its future is cancelled or
     * completed before it starts.
     */
    QUEUED("ordered.async.queued", "queued"),

    /**
     * From the start of a call to the completion of the stage that it returns; current while the method runs. A call
     * that is run again after a failure is observed each time.
     */
    RUN("ordered.async.run", "run");

    private final String observationName;
    private final String contextualSuffix;

    OrderedAsyncObservation(String observationName, String contextualSuffix) {
        this.observationName = observationName;
        this.contextualSuffix = contextualSuffix;
    }

    @Override
    public String getName() {
        return observationName;
    }

    @Override
    public String getPrefix() {
        return "ordered.async";
    }

    /** Returns the suffix that distinguishes the two observations in the name of a span. */
    String contextualSuffix() {
        return contextualSuffix;
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return DefaultOrderedAsyncObservationConvention.class;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowCardinalityKeyNames.values();
    }

    /** Keys with few values. */
    public enum LowCardinalityKeyNames implements KeyName {

        /** The name of the executor's bean, or {@code ordered-executor} for the default executor. */
        NAME("name"),

        /** The kind of executor: {@code striped} or {@code grouped}. */
        TYPE("type"),

        /** The class and the method, as in {@code Transfers.transfer}. */
        METHOD("method");

        private final String key;

        LowCardinalityKeyNames(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
