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
import org.jspecify.annotations.Nullable;

/** Creates two observations of each call: while it is queued, and while it runs. Thread-safe. */
final class OrderedAsyncObservations implements OrderedAsyncObserver {
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

    private static final class ObservedCall implements WatchedCall {
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
            Observation run = runs.next().start();
            return new ObservedRun(run, run.openScope());
        }

        @Override
        public void failed(Throwable reason) {
            if (left.compareAndSet(false, true)) {
                queued.error(reason);
                queued.stop();
            }
        }
    }

    private record ObservedRun(Observation run, Observation.Scope scope) implements WatchedRun {

        @Override
        public void returned() {
            scope.close();
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            if (failure != null) {
                run.error(failure);
            }
            run.stop();
        }
    }
}
