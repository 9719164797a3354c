package io.orderedexecutor.test.schedules;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of an executor of keys, in all the ways in which they can come to it: with and without a future, asynchronous,
 * in places that were reserved before, and from tasks.
 *
 * @param <K> what a task is submitted to
 */
final class KeyedSchedule<K> extends Schedule {

    /**
     * An executor of keys.
     *
     * @param <K> what a task is submitted to
     */
    interface Keyed<K> {
        OrderedExecutor executor();

        /** What a task can be submitted to. */
        List<K> targets();

        /** How a task may be submitted to a key that has work; null for plainly. */
        List<@Nullable WhenBusy> modes();

        void execute(K target, Job job, @Nullable WhenBusy whenBusy);

        CompletableFuture<String> submit(K target, Job job, @Nullable WhenBusy whenBusy);

        CompletableFuture<String> submitAsync(K target, Job job, @Nullable WhenBusy whenBusy);

        /** As an item of a batch, where there are batches. */
        CompletableFuture<?> submitItem(K target, Job job);

        Reservation reserve(K target, Overflow overflow);

        Keys keys();
    }

    /**
     * What can be done with the keys of an executor that have a name, whether these are stripes or groups.
     *
     * @param names all of them
     * @param isAnyParked whether something was parked in any of them
     */
    record Keys(
            List<String> names,
            Consumer<String> pause,
            Consumer<String> resume,
            Consumer<String> skip,
            BooleanSupplier isAnyParked) {

        void releaseAll() {
            names.forEach(resume);
        }

        void skipAll() {
            names.forEach(skip);
        }
    }

    /** Makes an executor; called once. */
    interface Factory<K> {
        Keyed<K> make(KeyedSchedule<K> schedule);
    }

    /** How long a place holds up what is behind it, from its turn on. */
    private static final Duration LEASE = Duration.ofSeconds(4);

    private final Keyed<K> keyed;
    private boolean hasLease;

    private KeyedSchedule(Simulation simulation, Model model, Factory<K> factory) {
        super(simulation, model);
        keyed = factory.make(this);
    }

    static <K> void run(Simulation simulation, Model model, Factory<K> factory) {
        KeyedSchedule<K> schedule = new KeyedSchedule<>(simulation, model, factory);
        schedule.run(schedule.keyed.executor());
    }

    /**
     * Sets what executors of keys have.
     *
     * @param keyCapacity sets the capacity of a key
     * @param lease sets the lease of reservations
     */
    <B extends OrderedExecutorBuilder<B>> void configure(B builder, IntConsumer keyCapacity, Consumer<Duration> lease) {
        configure(builder, REFUSES_OR_DROPS);
        if (oneIn(2)) {
            FailurePolicy.RetryBuilder retry = FailurePolicy.retry()
                    .maxRetries(1)
                    .delay(Duration.ofSeconds(1))
                    .multiplier(2);
            builder.failurePolicy(oneOf(List.of(retry.thenProceed(), retry.thenPark(), FailurePolicy.park())));
        }
        if (oneIn(3)) {
            model.keyCapacity = 1 + simulation.choose(2);
            keyCapacity.accept(model.keyCapacity);
        }
        hasLease = oneIn(3);
        if (hasLease) {
            lease.accept(LEASE);
            // the end of a lease is told to nobody else
            simulation.allowUncaught(TimeoutException.class);
        }
    }

    @Override
    void place() throws InterruptedException {
        K target = oneOf(keyed.targets());
        switch (simulation.choose(8)) {
            case 0 -> submit(target, newJob(target));
            case 1 -> {
                Job job = newJob(target);
                keep(job, keyed.submitAsync(target, job, null));
            }
            case 2 -> {
                String name = nextName();
                submit(target, newJob(name, target, null, () -> waitForItself(target, name)));
            }
            case 3 -> {
                String name = nextName();
                submit(target, newJob(name, target, null, () -> submitMore(name)));
            }
            case 4 -> placeInReserved(target);
            case 5 -> placeInMode(target, oneOf(keyed.modes()));
            case 6 -> {
                for (int items = simulation.choose(4); items >= 0; items--) {
                    Job job = newJob(target);
                    keep(job, keyed.submitItem(target, job));
                }
            }
            default -> keyed.execute(target, newJob(nextName(), target, null, () -> "no future tells of it"), null);
        }
    }

    private void submit(K target, Job job) {
        keep(job, keyed.submit(target, job, null));
    }

    private void placeInMode(K target, @Nullable WhenBusy whenBusy) {
        Job job = newJob(target, whenBusy);
        keep(job, oneIn(3) ? keyed.submitAsync(target, job, whenBusy) : keyed.submit(target, job, whenBusy));
    }

    /** A place that is reserved, and used or given back somewhat later, or forgotten until its lease is over. */
    private void placeInReserved(K target) throws InterruptedException {
        Overflow overflow = oneIn(2) ? Overflow.reject() : Overflow.block(Duration.ofSeconds(2));
        Reservation place = keyed.reserve(target, overflow);
        Duration since = simulation.now();
        var reserved = model.reserved(target, place);
        boolean isForgotten = false;
        try {
            simulation.yieldPoint("has reserved");
            if (hasLease && oneIn(3)) {
                simulation.sleep(oneIn(2) ? LEASE : LEASE.minusSeconds(1));
                isForgotten = oneIn(2);
            }
            if (isForgotten || oneIn(3)) {
                return;
            }
            Job job = newJob(target);
            model.uses(reserved, job);
            try {
                keep(job, oneIn(3) ? place.submitAsync(job) : place.submit(job));
            } catch (RejectedExecutionException refusedByShutdown) {
                simulation.yieldPoint("has reserved in vain");
            } catch (IllegalStateException over) {
                if (!hasLease || simulation.now().compareTo(since.plus(LEASE)) < 0) {
                    throw new AssertionError("a reservation has ended by itself", over);
                }
            }
        } finally {
            if (!isForgotten) {
                place.close();
            }
        }
    }

    /** A task that submits another one, to any key. */
    private String submitMore(String name) throws InterruptedException {
        if (oneIn(2)) {
            submit();
        }
        return work(name);
    }

    /** R10: a task that waits for one behind it is told so, if that one was accepted. */
    private String waitForItself(K target, String name) {
        if (model.conflict(target, target) && oneIn(3)) {
            CompletableFuture<String> behind;
            try {
                Job next = newJob("behind " + name, target, null, () -> name);
                behind = keyed.submit(target, next, null);
                next.setFuture(behind);
            } catch (RejectedExecutionException full) {
                return name;
            }
            try {
                String unused = behind.join();
                throw new AssertionError("a task that waits for itself went on");
            } catch (SelfWaitException | CancellationException told) {
                return name;
            }
        }
        return name;
    }

    @Override
    void steer() {
        Keys keys = keyed.keys();
        String name = oneOf(keys.names());
        switch (simulation.choose(4)) {
            case 0 -> keys.skip().accept(name);
            case 1 -> keys.resume().accept(name);
            default -> {
                keys.pause().accept(name);
                simulation.yieldPoint("paused " + name);
                keys.resume().accept(name);
            }
        }
    }

    @Override
    void release() {
        Keys keys = keyed.keys();
        if (oneIn(2)) {
            // perhaps an item of a batch that is parked
            cancelOne();
            keys.skipAll();
        }
        keys.releaseAll();
        simulation.run();
        for (int parked = 0; parked < 50 && keys.isAnyParked().getAsBoolean(); parked++) {
            keys.skipAll();
            simulation.run();
        }
    }
}
