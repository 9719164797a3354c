package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @Test
    void whatTheTestExpectsOfOtherThreadsDoesNotFailTheRun() {
        assertThat(find(simulation -> {
                    simulation.allowUncaught(IllegalStateException.class);
                    simulation.executor().execute(() -> {
                        throw new IllegalStateException("expected");
                    });
                }))
                .isEmpty();
        assertThat(find(simulation -> simulation.executor().execute(() -> {
                            throw new IllegalStateException("unseen");
                        }))
                        .orElseThrow()
                        .getCause())
                .hasMessage("unseen");
    }

    @Test
    void aFaultThatIsInjectedDoesNotFailTheRunInAnyWrapper() {
        assertThat(find(simulation -> {
                    simulation.executor().execute(() -> {
                        throw new InjectedFault("here");
                    });
                    var unused = simulation.thread("waiter", () -> {
                        throw new CompletionException(new ExecutionException(new InjectedFault("here")));
                    });
                }))
                .isEmpty();
        assertThat(find(simulation -> {
                            var unused = simulation.thread("waiter", () -> {
                                throw new CompletionException(new IllegalStateException("real"));
                            });
                        })
                        .orElseThrow()
                        .getCause())
                .hasRootCauseMessage("real");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAssertionFailsTheRunThoughItsTaskIsRetriedOrParked(boolean parks) {
        var retry = FailurePolicy.retry().maxRetries(parks ? 0 : 1);
        assertThat(find(simulation -> {
                            StripedExecutor executor = simulation
                                    .striped("orders")
                                    .failurePolicy(parks ? retry.thenPark() : retry.thenProceed())
                                    .build();
                            AtomicInteger attempts = new AtomicInteger();
                            executor.execute("alice", () -> {
                                if (attempts.incrementAndGet() == 1) {
                                    throw new AssertionError("of the first attempt");
                                }
                            });
                        })
                        .orElseThrow()
                        .getCause())
                .hasMessage("of the first attempt");
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
