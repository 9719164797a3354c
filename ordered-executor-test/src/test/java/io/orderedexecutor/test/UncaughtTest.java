package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Failures that nobody is told of fail the run, unless the test expects them. */
class UncaughtTest {
    private static final ThreadFactory PLAIN = Thread::new;

    private static Optional<SimulationFailure> find(SimulationRunner.Body body) {
        return SimulationRunner.named("uncaught").runs(20).find(body);
    }

    private static void failOn(ThreadFactory threads, Simulation simulation) {
        StripedExecutor executor =
                simulation.striped("orders").threadFactory(threads).build();
        executor.execute("alice", () -> {
            throw new IllegalStateException("unseen");
        });
    }

    @Test
    void aFailureOnAThreadOfTheApplicationFailsTheRun() {
        assertThat(find(simulation -> failOn(PLAIN, simulation)).orElseThrow().getCause())
                .hasMessage("unseen");
    }

    @Test
    void aFailureOnTheThreadOfTheTestFailsTheRun() {
        assertThat(find(simulation -> {
                            StripedExecutor executor = simulation
                                    .striped("orders")
                                    .executor(Runnable::run)
                                    .build();
                            executor.execute("alice", () -> {
                                throw new IllegalStateException("unseen");
                            });
                        })
                        .orElseThrow()
                        .getCause())
                .hasMessage("unseen");
    }

    @Test
    void anApplicationWithAHandlerOfItsOwnIsToldInstead() {
        List<String> told = new ArrayList<>();
        assertThat(find(simulation -> failOn(
                        body -> {
                            Thread thread = new Thread(body);
                            thread.setUncaughtExceptionHandler((any, failure) -> told.add(failure.getMessage()));
                            return thread;
                        },
                        simulation)))
                .isEmpty();
        assertThat(told).hasSize(20).containsOnly("unseen");
    }

    @Test
    void whatTheTestExpectsDoesNotFailTheRun() {
        assertThat(find(simulation -> {
                    simulation.allowUncaught(IllegalStateException.class);
                    failOn(PLAIN, simulation);
                }))
                .isEmpty();
        assertThat(find(simulation -> {
                            simulation.allowUncaught(IllegalArgumentException.class);
                            failOn(PLAIN, simulation);
                        })
                        .orElseThrow()
                        .getCause())
                .hasMessage("unseen");
    }

    private static void forgetAPlace(Simulation simulation) {
        StripedExecutor executor = simulation
                .striped("orders")
                .reservationLease(Duration.ofSeconds(10))
                .build();
        List<String> ran = new ArrayList<>();
        Reservation forgotten = executor.reserve("alice");
        executor.execute("alice", () -> ran.add("behind"));
        simulation.run();
        assertThat(forgotten.isOpen()).isFalse();
        assertThat(ran).containsExactly("behind");
        assertThat(simulation.now()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void theEndOfALeaseFailsTheRunUnlessTheTestIsAboutIt() {
        assertThat(find(UncaughtTest::forgetAPlace).orElseThrow().getCause())
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("was neither used nor given back within its lease");
        assertThat(find(simulation -> {
                    simulation.allowUncaught(TimeoutException.class);
                    forgetAPlace(simulation);
                }))
                .isEmpty();
    }
}
