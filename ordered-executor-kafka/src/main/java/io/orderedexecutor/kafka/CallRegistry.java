package io.orderedexecutor.kafka;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The observation registry of listener adapters. It returns the observation of the {@link ListenerCall} that the
 * current thread runs, and notifies this call when the adapter asks for the observation and when it stops it.
 * Everything else is delegated to the real registry.
 */
final class CallRegistry implements ObservationRegistry {
    private static final SafeLog logger = SafeLog.of(CallRegistry.class);

    private final ObservationRegistry real;

    /**
     * Whether a failure of a handler was logged. Handlers are called several times for each record, so a broken one
     * would fill the log.
     */
    private final AtomicBoolean isFailureLogged = new AtomicBoolean();

    /**
     * The call for which the adapter works on this thread: while it calls the listener, and while the future of the
     * listener is completed.
     */
    private static final ThreadLocal<@Nullable ListenerCall> current = new ThreadLocal<>();

    CallRegistry(ObservationRegistry real) {
        this.real = real;
    }

    ObservationRegistry real() {
        return real;
    }

    /**
     * Makes a call the current call of this thread while the adapter works for it.
     *
     * @return the call that was current before, to be passed to {@link #leave}
     */
    @Nullable
    ListenerCall enter(ListenerCall call) {
        ListenerCall before = current.get();
        current.set(call);
        return before;
    }

    /** Restores the call that was current before {@link #enter}. */
    void leave(@Nullable ListenerCall before) {
        // set, not removed: after a removal, the next record would make a new entry for this thread
        current.set(before);
    }

    /** Returns the current call of this thread, or null. */
    @Nullable
    ListenerCall currentCall() {
        return current.get();
    }

    /**
     * Calls observation handlers, and catches their exceptions: otherwise the adapter would neither report the failure
     * of an asynchronous call nor send the reply, and would stop the observation as if the call had succeeded.
     */
    void tell(Runnable handlers) {
        try {
            handlers.run();
        } catch (Throwable e) {
            handlerFailed(e);
        }
    }

    /** Opens the scope of an observation. If a handler throws, the call goes on outside of the scope. */
    Observation.Scope openScope(Observation observation) {
        ObservationRegistry registry = observation.getObservationRegistry();
        Observation.Scope outer = registry.getCurrentObservationScope();
        try {
            return observation.openScope();
        } catch (Throwable e) {
            handlerFailed(e);
            // the scope became current before the handlers were called: without this, all later work of the thread
            // would be in it
            registry.setCurrentObservationScope(outer);
            return Observation.Scope.NOOP;
        }
    }

    /** Closes a scope, even if a handler throws. */
    void closeScope(Observation.Scope scope) {
        try {
            scope.close();
        } catch (Throwable e) {
            handlerFailed(e);
            Observation observation = scope.getCurrentObservation();
            if (observation != null) {
                // close() restores the previous scope only after it has called the handlers, so it has not done so
                observation.getObservationRegistry().setCurrentObservationScope(scope.getPreviousObservationScope());
            }
        }
    }

    void handlerFailed(Throwable failure) {
        if (isFailureLogged.compareAndSet(false, true)) {
            logger.error(failure, () -> "An observation handler failed; its later failures are logged as DEBUG");
        } else {
            logger.debug(failure, () -> "An observation handler failed");
        }
    }

    @Override
    public @Nullable Observation getCurrentObservation() {
        ListenerCall call = current.get();
        if (call == null) {
            return real.getCurrentObservation();
        }
        call.watched();
        return new Watched(call);
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

    /** Delegates to the real observation, and reports its stop to the call. */
    private final class Watched implements Observation {
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
            return new CallScope(this, CallRegistry.this.openScope(observation()), () -> current.set(before));
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

    @SuppressWarnings("deprecation") // the interface still has deprecated methods
    private final class CallScope implements Observation.Scope {
        private final Observation observation;
        private final Observation.Scope real;
        private final Runnable restore;

        CallScope(Observation observation, Observation.Scope real, Runnable restore) {
            this.observation = observation;
            this.real = real;
            this.restore = restore;
        }

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
