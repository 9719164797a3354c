package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.annotation.OrderedAsyncObserver;
import io.orderedexecutor.spring.observation.DefaultOrderedAsyncObservationConvention;
import io.orderedexecutor.spring.observation.OrderedAsyncObservation;
import io.orderedexecutor.spring.observation.OrderedAsyncObservationContext;
import io.orderedexecutor.spring.observation.OrderedAsyncObservationConvention;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates two observations of each call: while it is queued, and while it runs. An observation is stopped, and the task
 * runs, even if one of the handlers fails on the scope or the error. Thread-safe.
 */
final class OrderedAsyncObservations implements OrderedAsyncObserver {
    private static final Log logger = LogFactory.getLog(OrderedAsyncObservations.class);

    private final ObservationRegistry registry;
    private final List<OrderedAsyncObservationConvention> conventions;

    /**
     * Creates an observer.
     *
     * @param registry the registry of the observations
     * @param conventions the conventions of the application; the first convention that supports an observation is used
     */
    OrderedAsyncObservations(
            ObservationRegistry registry, List<? extends OrderedAsyncObservationConvention> conventions) {
        this.registry = registry;
        this.conventions = List.copyOf(conventions);
    }

    @Override
    public WatchedCall submitted(OrderedAsyncCall call, String executorName, String executorType) {
        Observation parent = registry.getCurrentObservation();
        Observation queued = create(OrderedAsyncObservation.QUEUED, call, executorName, executorType, parent)
                .start();
        return new ObservedCall(
                queued, () -> create(OrderedAsyncObservation.RUN, call, executorName, executorType, parent));
    }

    private Observation create(
            OrderedAsyncObservation observation,
            OrderedAsyncCall call,
            String executorName,
            String executorType,
            @Nullable Observation parent) {
        OrderedAsyncObservationContext context =
                new OrderedAsyncObservationContext(observation, call, executorName, executorType);
        OrderedAsyncObservationConvention own = conventions.stream()
                .filter(convention -> convention.supportsContext(context))
                .findFirst()
                .orElse(null);
        return observation
                .observation(own, new DefaultOrderedAsyncObservationConvention(observation), () -> context, registry)
                .parentObservation(parent);
    }

    /** Creates the observation of a run. */
    private interface Runs {
        Observation next();
    }

    private final class ObservedCall implements WatchedCall {
        private final Observation queued;
        private final Runs runs;

        /** Whether the call has left the queue: a start and a cancellation may race for it. */
        private final AtomicBoolean left = new AtomicBoolean();

        ObservedCall(Observation queued, Runs runs) {
            this.queued = queued;
            this.runs = runs;
        }

        @Override
        public WatchedRun started() {
            if (left.compareAndSet(false, true)) {
                queued.stop();
            }
            return opened(runs.next().start());
        }

        private ObservedRun opened(Observation run) {
            Observation.Scope outer = registry.getCurrentObservationScope();
            Observation.Scope scope;
            try {
                scope = run.openScope();
            } catch (Throwable ofHandler) {
                logger.error("The OrderedAsyncObserver failed", ofHandler);
                // some handlers may have opened the scope, and are to close it
                Observation.Scope current = registry.getCurrentObservationScope();
                scope = current == null || current == outer ? Observation.Scope.NOOP : current;
            }
            return new ObservedRun(registry, run, scope, outer);
        }

        @Override
        public void failed(Throwable reason) {
            if (left.compareAndSet(false, true)) {
                end(queued, reason);
            }
        }
    }

    /** @param outer the scope of the thread before the run */
    private record ObservedRun(
            ObservationRegistry registry, Observation run, Observation.Scope scope, Observation.@Nullable Scope outer)
            implements WatchedRun {

        @Override
        public void returned() {
            try {
                scope.close();
            } finally {
                // if a handler has failed, the next task of the thread would still be in this scope
                registry.setCurrentObservationScope(outer);
            }
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            end(run, failure);
        }
    }

    private static void end(Observation observation, @Nullable Throwable failure) {
        try {
            if (failure != null) {
                observation.error(failure);
            }
        } finally {
            observation.stop();
        }
    }
}
