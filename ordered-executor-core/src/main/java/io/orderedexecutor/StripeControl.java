package io.orderedexecutor;

import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.striped.Stripe;
import io.orderedexecutor.engine.striped.StripedEngine;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The stripes of a {@link StripedExecutor} while it runs: how they are seen, paused, resumed and limited. */
abstract sealed class StripeControl extends AbstractOrderedExecutor permits StripedExecutor {
    final StripedEngine engine;

    StripeControl(StripedEngine engine) {
        super(engine);
        this.engine = engine;
    }

    /** What keeps the contract; its parts can be looked at by tests. */
    StripedEngine engine() {
        return engine;
    }

    // Live control

    /**
     * Starts no more tasks of one stripe until {@code resume(stripe)} or a shutdown. A running task continues to its
     * end. A paused stripe takes memory even while it has no tasks. Has no effect after a shutdown.
     *
     * @param stripe the stripe
     * @throws NullPointerException if {@code stripe} is null
     */
    public void pause(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        engine.pause(stripe);
    }

    /**
     * Tells whether {@code pause(stripe)} has paused this stripe. Pausing the whole executor does not count.
     *
     * @param stripe the stripe
     * @return true from {@code pause(stripe)} to {@code resume(stripe)} or a shutdown
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean isPaused(Object stripe) {
        Stripe found = engine.find(Objects.requireNonNull(stripe, "stripe"));
        return found != null && found.isPausedItself();
    }

    /**
     * Resumes a stripe that is paused or parked. The task that parked it runs again.
     *
     * @param stripe the stripe
     * @return false if it was neither paused nor parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean resume(Object stripe) {
        Stripe found = engine.find(stripe);
        if (found == null) {
            return false;
        }
        boolean wasPaused = found.resume();
        return StrandControl.unpark(found, true) || wasPaused;
    }

    /**
     * Resumes a parked stripe with the task after the one that parked it. The skipped task has failed for good.
     *
     * @param stripe the stripe
     * @return false if it was not parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean skip(Object stripe) {
        Stripe found = engine.find(stripe);
        return found != null && StrandControl.unpark(found, false);
    }

    /**
     * Changes how many tasks may be queued in each stripe. Tasks beyond a lower capacity stay queued.
     *
     * @param stripeCapacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code stripeCapacity} is out of range
     * @throws IllegalStateException if this executor was built without any capacity
     */
    public void setStripeCapacity(int stripeCapacity) {
        engine.requireLimits("stripeCapacity").setKeyCapacity(Settings.checked("stripeCapacity", stripeCapacity));
    }

    /**
     * Waits until one stripe has no tasks, including those submitted in the meantime; see {@link #drain}.
     *
     * @param stripe the stripe
     * @param limit how long to wait at most
     * @return true if it had no tasks, false if the time elapsed first
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    public boolean awaitIdle(Object stripe, Duration limit) throws InterruptedException {
        Objects.requireNonNull(stripe, "stripe");
        return engine.awaitIdle(stripe, limit);
    }

    // Observation

    @Override
    public StripedExecutorStats stats() {
        return engine.stats();
    }

    /**
     * Returns how many places are reserved, and neither used nor given back. They are among the queued tasks.
     *
     * @return the number of open reservations
     */
    public long reserved() {
        return engine.reserved().count();
    }

    /**
     * Returns for how long the oldest place that is reserved, and neither used nor given back, has been reserved.
     *
     * @return its age; zero if no place is reserved
     */
    public Duration oldestReservedAge() {
        return engine.reserved().age();
    }

    /**
     * Returns what submissions have done to others because their stripe was busy; see {@link WhenBusy}.
     *
     * @return how many tasks were replaced, interrupted and skipped, and how many items ran in how many batches
     */
    public WhenBusyStats whenBusyStats() {
        return engine.reporter().whenBusy();
    }

    /**
     * Returns the stripes with the most queued tasks. The cost is proportional to the number of stripes that have
     * tasks. The call blocks neither submitters nor workers.
     *
     * @param limit how many stripes to return at most
     * @return the deepest stripes, deepest first; tasks without a stripe are not among them
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<StripeSnapshot> deepestStripes(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit is " + limit + ", but a number of stripes cannot be negative");
        }
        return engine.deepestStripes(limit);
    }

    /**
     * Returns the stripes that stopped after a failure.
     *
     * @return the parked stripes, in no particular order
     */
    public List<ParkedStripe> parkedStripes() {
        return engine.parkedStripes();
    }

    /**
     * Returns the current state of one stripe.
     *
     * @param stripe the stripe
     * @return its state, or empty if it has no tasks and is not paused
     * @throws NullPointerException if {@code stripe} is null
     */
    public Optional<StripeSnapshot> snapshot(Object stripe) {
        return Optional.ofNullable(engine.find(stripe)).map(Stripe::snapshot);
    }
}
