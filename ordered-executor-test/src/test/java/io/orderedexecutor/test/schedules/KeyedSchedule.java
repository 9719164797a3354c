package io.orderedexecutor.test.schedules;

import io.orderedexecutor.OrderedExecutor;
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

        /** What can be paused. */
        List<String> names();

        /** How a task may be submitted to a key that has work; null for plainly. */
        List<@Nullable WhenBusy> modes();

        void execute(K target, Job job, @Nullable WhenBusy whenBusy);

        CompletableFuture<String> submit(K target, Job job, @Nullable WhenBusy whenBusy);

        CompletableFuture<String> submitAsync(K target, Job job, @Nullable WhenBusy whenBusy);

        Reservation reserve(K target, Overflow overflow);

        void pause(String name);

        boolean resume(String name);

        boolean skip(String name);

        boolean isAnyParked();
    }

    /** Makes an executor; called once. */
    interface Factory<K> {
        Keyed<K> make(KeyedSchedule<K> schedule);
    }

    private final Keyed<K> keyed;

    private KeyedSchedule(Simulation simulation, Model model, Factory<K> factory) {
        super(simulation, model);
        keyed = factory.make(this);
    }

    static <K> void run(Simulation simulation, Model model, Factory<K> factory) {
        KeyedSchedule<K> schedule = new KeyedSchedule<>(simulation, model, factory);
        schedule.run(schedule.keyed.executor());
    }

    @Override
    void place() throws InterruptedException {
        K target = oneOf(keyed.targets());
        switch (simulation.choose(7)) {
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

    /** A place that is reserved, and used or given back somewhat later. */
    private void placeInReserved(K target) {
        Overflow overflow = oneIn(2) ? Overflow.reject() : Overflow.block(Duration.ofSeconds(2));
        Reservation place = keyed.reserve(target, overflow);
        var reserved = model.reserved(target, place);
        try {
            simulation.yieldPoint("has reserved");
            if (oneIn(3)) {
                return;
            }
            Job job = newJob(target);
            model.uses(reserved, job);
            try {
                keep(job, oneIn(3) ? place.submitAsync(job) : place.submit(job));
            } catch (RejectedExecutionException refusedByShutdown) {
                simulation.yieldPoint("has reserved in vain");
            }
        } finally {
            place.close();
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
        String name = oneOf(keyed.names());
        keyed.pause(name);
        simulation.yieldPoint("paused " + name);
        keyed.resume(name);
    }

    @Override
    void release() {
        keyed.names().forEach(keyed::resume);
        simulation.run();
        for (int parked = 0; parked < 50 && keyed.isAnyParked(); parked++) {
            keyed.names().forEach(keyed::skip);
            simulation.run();
        }
    }
}
