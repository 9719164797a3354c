package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.test.Simulation;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Tasks of a few stripes. */
final class StripedSchedule extends Schedule {
    private static final List<String> STRIPES = List.of("a", "b", "c");

    private final StripedExecutor executor;

    private StripedSchedule(Simulation simulation, Model model) {
        super(simulation, model);
        StripedExecutorBuilder builder = configure(simulation.striped("striped"), REFUSES_OR_DROPS);
        configureFailures(builder);
        if (oneIn(3)) {
            builder.stripeCapacity(1 + simulation.choose(2));
        }
        executor = builder.build();
    }

    static void run(Simulation simulation) {
        Model model = new Model() {
            @Override
            boolean conflict(@Nullable Object one, @Nullable Object other) {
                return one != null && Objects.equals(one, other);
            }
        };
        StripedSchedule schedule = new StripedSchedule(simulation, model);
        schedule.run(schedule.executor);
    }

    @Override
    CompletableFuture<?> place(String name) {
        String stripe = oneOf(STRIPES);
        return switch (simulation.choose(4)) {
            case 0 -> executor.submit(stripe, () -> work(name));
            case 1 -> executor.submitAsync(stripe, () -> stage(name));
            case 2 -> executor.submit(stripe, () -> waitForItself(stripe, name));
            default -> executor.submit(stripe, () -> submitMore(name));
        };
    }

    /** A task that submits another one, of any stripe. */
    private String submitMore(String name) throws InterruptedException {
        if (oneIn(2)) {
            submit();
        }
        return work(name);
    }

    /** R10: a task that waits for one behind it is told so, if that one was accepted. */
    private String waitForItself(String stripe, String name) {
        if (oneIn(3)) {
            CompletableFuture<String> behind;
            try {
                behind = executor.submit(stripe, () -> "behind " + name);
            } catch (RejectedExecutionException full) {
                return name;
            }
            try {
                behind.join();
                throw new AssertionError("a task that waits for itself went on");
            } catch (SelfWaitException | java.util.concurrent.CancellationException told) {
                assertThat(told).isNotNull();
            }
        }
        return name;
    }

    @Override
    void steer() {
        String stripe = oneOf(STRIPES);
        executor.pause(stripe);
        simulation.yieldPoint("paused " + stripe);
        executor.resume(stripe);
    }

    @Override
    void release() {
        STRIPES.forEach(executor::resume);
        simulation.run();
        for (int parked = 0; parked < 50 && !executor.parkedStripes().isEmpty(); parked++) {
            STRIPES.forEach(executor::skip);
            simulation.run();
        }
    }
}
