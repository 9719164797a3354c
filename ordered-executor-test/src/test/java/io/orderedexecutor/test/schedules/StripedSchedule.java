package io.orderedexecutor.test.schedules;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.test.Simulation;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tasks of a few stripes, and items. */
record StripedSchedule(StripedExecutor executor, KeyedSchedule.Keys keys, Batches batches)
        implements KeyedSchedule.Keyed<String> {
    private static final List<String> STRIPES = List.of("a", "b", "c");
    private static final List<@Nullable WhenBusy> MODES = List.of(
            WhenBusy.queue(),
            WhenBusy.latest("view"),
            WhenBusy.latest("search"),
            WhenBusy.interrupt("view"),
            WhenBusy.refuse());

    static void run(Simulation simulation) {
        KeyedSchedule.run(simulation, new StripeModel(), StripedSchedule::of);
    }

    private static StripedSchedule of(KeyedSchedule<String> schedule) {
        StripedExecutorBuilder builder = schedule.simulation.striped("striped");
        schedule.configure(builder, builder::keyCapacity, builder::reservationLease);
        StripedExecutor executor = builder.build();
        KeyedSchedule.Keys keys = new KeyedSchedule.Keys(
                STRIPES,
                executor.control()::pause,
                executor.control()::resume,
                executor.control()::skip,
                () -> !executor.inspect().parkedTasks().isEmpty());
        return new StripedSchedule(executor, keys, new Batches(schedule, executor));
    }

    /** Stripes that are equal conflict. */
    static final class StripeModel extends Model {
        @Override
        boolean conflict(@Nullable Object one, @Nullable Object other) {
            return one != null && Objects.equals(one, other);
        }

        @Override
        List<Object> countedIn(@Nullable Object key) {
            return key == null ? List.of() : List.of(key);
        }
    }

    @Override
    public List<String> targets() {
        return STRIPES;
    }

    @Override
    public List<@Nullable WhenBusy> modes() {
        return MODES;
    }

    private static WhenBusy modeOf(@Nullable WhenBusy whenBusy) {
        return whenBusy == null ? WhenBusy.queue() : whenBusy;
    }

    @Override
    public void execute(String stripe, Job job, @Nullable WhenBusy whenBusy) {
        executor.with(modeOf(whenBusy)).execute(stripe, job);
    }

    @Override
    public CompletableFuture<String> submit(String stripe, Job job, @Nullable WhenBusy whenBusy) {
        return executor.with(modeOf(whenBusy)).submit(stripe, job);
    }

    @Override
    public CompletableFuture<String> submitAsync(String stripe, Job job, @Nullable WhenBusy whenBusy) {
        return executor.with(modeOf(whenBusy)).submitAsync(stripe, job);
    }

    @Override
    public CompletableFuture<?> submitItem(String stripe, Job job) {
        return batches.submit(stripe, job);
    }

    @Override
    public Reservation reserve(String stripe, Overflow overflow) {
        return executor.with(overflow).reserve(stripe);
    }
}
