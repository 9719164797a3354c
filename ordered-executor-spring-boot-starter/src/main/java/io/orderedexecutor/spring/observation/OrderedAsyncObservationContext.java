package io.orderedexecutor.spring.observation;

import io.micrometer.observation.Observation;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;

/** The context of an observation of a call. */
public final class OrderedAsyncObservationContext extends Observation.Context {
    private final OrderedAsyncObservation observation;
    private final OrderedAsyncCall call;
    private final String executorName;
    private final String executorType;

    /**
     * Creates a context.
     *
     * @param observation the observation that it belongs to
     * @param call the call
     * @param executorName the name of the executor's bean, or {@code ordered-executor} for the default executor
     * @param executorType {@code striped} or {@code grouped}
     */
    public OrderedAsyncObservationContext(
            OrderedAsyncObservation observation, OrderedAsyncCall call, String executorName, String executorType) {
        this.observation = observation;
        this.call = call;
        this.executorName = executorName;
        this.executorType = executorType;
    }

    /**
     * Returns which of the two observations this is.
     *
     * @return queued or run
     */
    public OrderedAsyncObservation observation() {
        return observation;
    }

    /**
     * Returns the call. Its arguments have too many values for keys of low cardinality.
     *
     * @return the call
     */
    public OrderedAsyncCall call() {
        return call;
    }

    /**
     * Returns the executor that the call is submitted to.
     *
     * @return the name of the executor's bean, or {@code ordered-executor} for the default executor
     */
    public String executorName() {
        return executorName;
    }

    /**
     * Returns the kind of executor.
     *
     * @return {@code striped} or {@code grouped}
     */
    public String executorType() {
        return executorType;
    }
}
