package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Barrier;
import io.orderedexecutor.engine.order.Many;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Keyed;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.TaskPlace;
import io.orderedexecutor.stats.Explanation;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place as threads, futures and explanations see it. Orders see a {@link Place}; each kind of place is both, and
 * nothing else implements this.
 */
public interface Served extends Runnable, Keyed, TaskPlace {

    static Served of(Place place) {
        return (Served) place;
    }

    private Place self() {
        return (Place) this;
    }

    @Override
    default void run() {
        Dispatcher.dispatcherOf(self()).serve(self());
    }

    @Override
    default @Nullable Object key() {
        return service().namedTargetOf(self());
    }

    // its future

    @Override
    default void onReturn() {
        if (self().state() instanceof Attempt attempt) {
            attempt.setEnded();
        }
    }

    @Override
    default Object executor() {
        return service().lifecycle();
    }

    @Override
    default boolean runsTasksOnEnd() {
        return service().workers().areCallers();
    }

    @Override
    default boolean isHeldBy(TaskFuture<?> task) {
        return self().state() instanceof Attempt attempt && attempt.task == task && attempt.isHeld();
    }

    @Override
    default void onCompleted(TaskFuture<?> future) {
        service().onCompleted(self(), future);
    }

    /** The service of the executor. */
    default Service service() {
        return Dispatcher.dispatcherOf(self()).service();
    }

    @Override
    default List<Thread> awaitedThreads() {
        return new Ahead(service()).threads(self());
    }

    @Override
    default List<Thread> ownersAhead() {
        return new Ahead(service()).owners(self());
    }

    @Override
    default boolean isBehind(TaskPlace other) {
        return new Ahead(service()).of(self()).contains(other);
    }

    @Override
    default String describe() {
        return new Explainer(service()).describe(self());
    }

    @Override
    default @Nullable Duration queuedFor(TaskFuture<?> task) {
        Explainer explainer = new Explainer(service());
        return task instanceof BatchItem item ? explainer.queuedFor(item) : explainer.queuedFor(self());
    }

    @Override
    default Explanation.Place where() {
        return new Explainer(service()).where(self());
    }

    @Override
    default Reason heldUpBy() {
        return new Explainer(service()).reasonOf(self());
    }

    // kinds

    /** A place of one exclusive key. */
    final class Exclusive extends Place implements Served {
        public Exclusive(Object state, Orders orders) {
            super(state, orders);
        }
    }

    /** A place of one exclusive key that knows its target, and when it was submitted. */
    final class ExclusiveTimed extends Place.Timed implements Served {
        public ExclusiveTimed(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders, target, queuedAt);
        }
    }

    /** A place of one shared key, or of a task without keys, which stands in an order of its own. */
    final class OneShared extends Place.Shared implements Served {
        public OneShared(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders, target, queuedAt);
        }
    }

    /** A place of several keys. */
    final class Several extends Many implements Served {
        public Several(
                Object state, Orders orders, Object target, long queuedAt, int exclusive, int shared, int uncounted) {
            super(state, orders, target, queuedAt, exclusive, shared, uncounted);
        }
    }

    /** A place of all keys. */
    final class All extends Barrier implements Served {
        public All(Object state, Orders orders, Object target, long queuedAt, boolean isShared, int exclusive) {
            super(state, orders, target, queuedAt, isShared, exclusive);
        }
    }
}
