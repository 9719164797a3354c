package io.orderedexecutor.kafka;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What a listener adapter takes for the registry of observations. It gives the adapter the observation of the
 * {@link ListenerCall} of its thread, and tells the call when the adapter stops it. Everything else is the real
 * registry's.
 */
final class CallRegistry implements ObservationRegistry {
    private static final SafeLog logger = SafeLog.of(CallRegistry.class);

    private final ObservationRegistry real;

    /**
     * The call that the adapter works for on this thread: while the listener is called, and while its future is
     * completed.
     */
    private static final ThreadLocal<@Nullable ListenerCall> current = new ThreadLocal<>();

    CallRegistry(ObservationRegistry real) {
        this.real = real;
    }

    ObservationRegistry real() {
        return real;
    }

    /**
     * Begins what the adapter does for a call on this thread.
     *
     * @return what to {@linkplain #leave give back} at its end
     */
    @Nullable
    ListenerCall enter(ListenerCall call) {
        ListenerCall before = current.get();
        current.set(call);
        return before;
    }

    /** Ends what {@link #enter} has begun. */
    void leave(@Nullable ListenerCall before) {
        // not removed: the next record would make a new entry for this thread
        current.set(before);
    }

    /** The call of this thread, or null. */
    @Nullable
    ListenerCall currentCall() {
        return current.get();
    }

    /**
     * Tells handlers of observations. One that throws must not: the adapter would neither tell that an asynchronous
     * call has failed nor send the reply, and stop the observation as if all was well.
     */
    static void tell(Runnable handlers) {
        try {
            handlers.run();
        } catch (Throwable e) {
            handlerFailed(e);
        }
    }

    /** Opens a scope. If a handler throws, the call goes on outside of it. */
    static Observation.Scope openScope(Observation observation) {
        ObservationRegistry registry = observation.getObservationRegistry();
        Observation.Scope outer = registry.getCurrentObservationScope();
        try {
            return observation.openScope();
        } catch (Throwable e) {
            handlerFailed(e);
            // it is set before handlers are told: all that the thread does later would be in it
            registry.setCurrentObservationScope(outer);
            return Observation.Scope.NOOP;
        }
    }

    /** Closes a scope, also if a handler throws. */
    static void closeScope(Observation.Scope scope) {
        try {
            scope.close();
        } catch (Throwable e) {
            handlerFailed(e);
            Observation observation = scope.getCurrentObservation();
            if (observation != null) {
                // which is done after handlers are told
                observation.getObservationRegistry().setCurrentObservationScope(scope.getPreviousObservationScope());
            }
        }
    }

    static void handlerFailed(Throwable failure) {
        logger.error(failure, () -> "An observation handler failed");
    }

    @Override
    public @Nullable Observation getCurrentObservation() {
        ListenerCall call = current.get();
        return call == null ? real.getCurrentObservation() : new Watched(call);
    }

    @Override
    public Observation.@Nullable Scope getCurrentObservationScope() {
        return real.getCurrentObservationScope();
    }

    @Override
    public void setCurrentObservationScope(Observation.@Nullable Scope current) {
        real.setCurrentObservationScope(current);
    }

    @Override
    public ObservationConfig observationConfig() {
        return real.observationConfig();
    }

    /** The real observation, whose stop is ours. */
    private static final class Watched implements Observation {
        private final ListenerCall call;

        Watched(ListenerCall call) {
            this.call = call;
        }

        private Observation observation() {
            return call.observation();
        }

        @Override
        public void stop() {
            call.stopped();
        }

        @Override
        public Scope openScope() {
            ListenerCall before = current.get();
            current.set(call);
            return new CallScope(this, CallRegistry.openScope(observation()), () -> current.set(before));
        }

        @Override
        public Observation contextualName(@Nullable String contextualName) {
            observation().contextualName(contextualName);
            return this;
        }

        @Override
        public Observation parentObservation(@Nullable Observation parentObservation) {
            observation().parentObservation(parentObservation);
            return this;
        }

        @Override
        public Observation lowCardinalityKeyValue(KeyValue keyValue) {
            observation().lowCardinalityKeyValue(keyValue);
            return this;
        }

        @Override
        public Observation highCardinalityKeyValue(KeyValue keyValue) {
            observation().highCardinalityKeyValue(keyValue);
            return this;
        }

        @Override
        public Observation observationConvention(ObservationConvention<?> observationConvention) {
            observation().observationConvention(observationConvention);
            return this;
        }

        @Override
        public Observation error(Throwable error) {
            tell(() -> observation().error(error));
            return this;
        }

        @Override
        public Observation event(Event event) {
            observation().event(event);
            return this;
        }

        @Override
        public Observation start() {
            return this;
        }

        @Override
        public Context getContext() {
            return observation().getContext();
        }
    }

    @SuppressWarnings("deprecation") // of what the interface makes everybody implement
    private record CallScope(Observation observation, Observation.Scope real, Runnable restore)
            implements Observation.Scope {
        @Override
        public Observation getCurrentObservation() {
            return observation;
        }

        @Override
        public void close() {
            closeScope(real);
            restore.run();
        }

        @Override
        public void reset() {
            real.reset();
        }

        @Override
        public void makeCurrent() {
            real.makeCurrent();
        }
    }
}
