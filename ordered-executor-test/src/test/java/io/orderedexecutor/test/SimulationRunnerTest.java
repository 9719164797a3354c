package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TicketSequencer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SimulationRunnerTest {
    private static SimulationRunner runner(String name) {
        return SimulationRunner.named(name).runs(200).blockedAfter(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10_000", "many"})
    void aNumberOfRunsThatMeansNothingIsRefused(String runs) {
        String before = System.setProperty(SimulationRunner.RUNS, runs);
        try {
            assertThatThrownBy(() -> SimulationRunner.named("runs"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(SimulationRunner.RUNS + " is ");
        } finally {
            if (before == null) {
                System.clearProperty(SimulationRunner.RUNS);
            } else {
                System.setProperty(SimulationRunner.RUNS, before);
            }
        }
    }

    /** A Spring bean, for instance: the next test would find its key busy for ever. */
    @Test
    void aRunThatFailsLeavesNoKeyBusy() throws Exception {
        // in its first run, each thread goes on until it waits: the answer has not come when the test fails
        SimulationRunner runner = runner("fails").strategy(Strategy.EXHAUSTIVE);
        try (StripedExecutor executor = StripedExecutor.builder().build()) {
            Throwable failure = runner.find(simulation -> {
                        AtomicBoolean started = new AtomicBoolean();
                        executor.submitAsync("alice", () -> {
                            started.set(true);
                            return simulation.stage("answer", "late");
                        });
                        simulation.await("the start", started::get);
                        throw new IllegalStateException("of the test");
                    })
                    .orElseThrow()
                    .getCause();
            assertThat(failure).hasMessage("of the test");
            assertThat(executor.submit("alice", () -> "free").get(30, TimeUnit.SECONDS))
                    .isEqualTo("free");
        }
    }

    @Test
    void eachCallIsJudgedByItsOwnRuns() {
        SimulationRunner runner = runner("twice").runs(2).failingIfUnused("No executor.");
        runner.run(simulation -> simulation.striped("used").build().execute("alice", () -> {}));
        assertThatThrownBy(() -> runner.run(simulation -> {})).hasMessageContaining("has submitted nothing");
        assertThatThrownBy(() -> runner.run(simulation -> Assumptions.abort("no docker")))
                .hasMessage("no docker");
    }

    @Test
    void aThreadOfTheJdkThatUsesTheExecutorOfASimulationFailsIt() {
        assertFailsByAThreadOfTheJdk(executor -> {
            executor.execute("alice", () -> {});
            return () -> executor.execute("bob", () -> {});
        });
    }

    /** The reservation was made by the simulation, which has accepted the task with it. */
    @Test
    void aThreadOfTheJdkThatUsesAReservationOfASimulationFailsIt() {
        assertFailsByAThreadOfTheJdk(executor -> {
            Reservation place = executor.reserve("alice");
            return () -> place.execute(() -> {});
        });
    }

    @Test
    void aSimulationThatOnlyUsesAReservationIsTheOneThatUsesTheExecutor() {
        AtomicReference<Reservation> place = new AtomicReference<>();
        assertFailsByAThreadOfTheJdk(executor -> place.set(executor.reserve("alice")), executor -> {
            place.get().execute(() -> {});
            return () -> executor.execute("bob", () -> {});
        });
    }

    private static void assertFailsByAThreadOfTheJdk(Function<StripedExecutor, Runnable> use) {
        assertFailsByAThreadOfTheJdk(executor -> {}, use);
    }

    /**
     * Asserts that a simulation fails if a thread of the JDK uses an executor after it.
     *
     * @param before what happens before the simulation
     * @param use what the simulation does, and then the thread of the JDK
     */
    private static void assertFailsByAThreadOfTheJdk(
            Consumer<StripedExecutor> before, Function<StripedExecutor, Runnable> use) {
        try (StripedExecutor executor = StripedExecutor.builder().name("bean").build()) {
            before.accept(executor);
            SimulationFailure failure = runner("stranger")
                    .runs(1)
                    .find(simulation -> {
                        Thread thread = new Thread(use.apply(executor), "of the JDK");
                        thread.start();
                        thread.join();
                    })
                    .orElseThrow();
            assertThat(failure.getCause())
                    .hasMessageContaining("Thread 'of the JDK' uses executor 'bean' of a simulation, but is not part");
            assertThat(failure)
                    .hasMessageContaining("No seed repeats this run")
                    .message()
                    .doesNotContain("seed = ");
        }
    }

    @Test
    void aTaskThatWaitsForItsTurnIsNotSaidToMiss() {
        Throwable failure = runner("early")
                .strategy(Strategy.EXHAUSTIVE) // in its first run, the test goes on until it waits
                .find(simulation -> {
                    simulation
                            .striped("orders")
                            .executor(simulation.executor())
                            .build()
                            .execute("alice", () -> {});
                    simulation.assertNothingLost();
                })
                .orElseThrow()
                .getCause();
        assertThat(failure).hasMessageContaining("has not ended").message().doesNotContain("handed over");
    }

    @Test
    void aTaskThatNoThreadRunsTellsOfItsExecutor() {
        Throwable failure = runner("dropped")
                .runs(1)
                .find(simulation -> simulation
                        .striped("orders")
                        .executor(work -> {})
                        .build()
                        .execute("alice", () -> {}))
                .orElseThrow()
                .getCause();
        assertThat(failure)
                .hasMessageContaining("has not ended")
                .hasMessageContaining("no thread of the simulation has run work that executor 'orders' has handed");
    }

    @Test
    void anExecutorWhoseWorkWasRefusedOnceIsNotSaidToMissIt() {
        Throwable failure = runner("refused")
                .runs(1)
                .find(simulation -> {
                    AtomicBoolean refuses = new AtomicBoolean(true);
                    StripedExecutor orders = simulation
                            .striped("orders")
                            .executor(work -> {
                                if (refuses.getAndSet(false)) {
                                    throw new RejectedExecutionException("full");
                                }
                                work.run();
                            })
                            .build();
                    assertThatThrownBy(() -> orders.execute("alice", () -> {}))
                            .isInstanceOf(RejectedExecutionException.class);
                    orders.control().pause("bob");
                    orders.execute("bob", () -> {});
                })
                .orElseThrow()
                .getCause();
        assertThat(failure).hasMessageContaining("has not ended").message().doesNotContain("handed over");
    }

    // orders

    @Test
    void tasksOfAStripeKeepTheirOrderAndThoseOfOthersDoNot() {
        Set<List<String>> orders = new HashSet<>();
        runner("orders").run(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            List<String> ran = new ArrayList<>();
            for (String stripe : List.of("a", "b")) {
                for (int i = 1; i <= 2; i++) {
                    String task = stripe + i;
                    executor.execute(stripe, () -> ran.add(task));
                }
            }
            simulation.run();
            orders.add(ran);
            simulation.assertInOrder("a");
            simulation.assertInOrder("b");
            simulation.assertIdle();
            simulation.assertExclusion();
        });
        assertThat(orders)
                .as("all interleavings of two pairs")
                .containsExactlyInAnyOrder(
                        List.of("a1", "a2", "b1", "b2"),
                        List.of("a1", "b1", "a2", "b2"),
                        List.of("a1", "b1", "b2", "a2"),
                        List.of("b1", "a1", "a2", "b2"),
                        List.of("b1", "a1", "b2", "a2"),
                        List.of("b1", "b2", "a1", "a2"));
    }

    @Test
    void callersRunInAnyOrder() {
        Set<String> first = new HashSet<>();
        runner("callers").run(simulation -> {
            StringBuilder order = new StringBuilder();
            simulation.thread("x", () -> order.append("x"));
            simulation.thread("y", () -> order.append("y"));
            simulation.run();
            first.add(order.toString());
        });
        assertThat(first).containsExactlyInAnyOrder("xy", "yx");
    }

    @Test
    void everyKindOfExecutorIsPartOfIt() {
        runner("kinds").run(simulation -> {
            List<String> ran = new ArrayList<>();
            GroupedExecutor grouped = simulation.grouped("grouped").build();
            CompletableFuture<Boolean> both = grouped.submit(Groups.exclusive("a", "b"), () -> ran.add("both"));
            OrderedOutputExecutor outputs = simulation.outputs("outputs").build();
            OrderedOutput<Integer> output = outputs.open(number -> ran.add("output " + number));
            for (int i = 0; i < 3; i++) {
                int number = i;
                output.submit(() -> number);
            }
            SerialExecutor serial = simulation.serial();
            serial.execute(() -> ran.add("serial"));
            TicketSequencer tickets = simulation.tickets().window(1).build();
            Reservation ticket = tickets.next();
            CompletableFuture<Void> second =
                    simulation.thread("second", () -> tickets.next().execute(() -> ran.add("second ticket")));
            ticket.execute(() -> ran.add("first ticket"));
            assertThat(both.join()).isTrue();
            second.join();
            simulation.run();
            assertThat(ran)
                    .containsExactlyInAnyOrder(
                            "both", "output 0", "output 1", "output 2", "serial", "first ticket", "second ticket")
                    .containsSubsequence("output 0", "output 1", "output 2")
                    .containsSubsequence("first ticket", "second ticket");
        });
    }

    @Test
    void futuresThatAnExecutorMakesAreWaitedForInIt() {
        runner("futures").runs(50).run(simulation -> {
            List<Integer> written = new ArrayList<>();
            OrderedOutputExecutor outputs = simulation.outputs("outputs").build();
            try (OrderedOutput<Integer> output = outputs.open(written::add)) {
                output.submit(() -> 0);
                output.flush().join();
                assertThat(written).containsExactly(0);
                assertThat(output.submit(() -> 1)
                                .thenApply(result -> "result " + result)
                                .get())
                        .isEqualTo("result 1");
                assertThat(written).containsExactly(0, 1);
                output.submit(() -> 2);
                output.flush().get(1, TimeUnit.SECONDS);
                assertThat(written).containsExactly(0, 1, 2);
                output.submit(() -> 3);
            }
            assertThat(written).containsExactly(0, 1, 2, 3);

            TicketSequencer tickets = simulation.tickets().window(1).build();
            Reservation first = tickets.next();
            CompletableFuture<Reservation> second = tickets.nextAsync();
            simulation.thread("user", () -> first.execute(() -> written.add(4)));
            second.join().execute(() -> written.add(5));
            Reservation third = tickets.next();
            simulation.thread("late", () -> third.execute(() -> written.add(6)));
            tickets.flush().join();
            CompletableFuture<Boolean> fourth = tickets.nextAsync().thenCompose(ticket -> {
                ticket.execute(() -> written.add(7));
                return simulation.stage("remote", true);
            });
            assertThat(fourth.join()).isTrue();
            assertThat(tickets.nextAsync()
                            .thenApplyAsync(ticket -> Thread.currentThread().getName())
                            .join())
                    .startsWith("async");
            assertThat(written).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        });
    }

    // time

    @Test
    void pausesBeforeARetryTakeNoRealTime() {
        long start = System.nanoTime();
        runner("retries").runs(20).run(simulation -> {
            StripedExecutor executor = simulation
                    .striped("orders")
                    .failurePolicy(FailurePolicy.retry()
                            .maxRetries(2)
                            .delay(Duration.ofMinutes(1))
                            .multiplier(2)
                            .thenProceed())
                    .build();
            List<Duration> attempts = new ArrayList<>();
            CompletableFuture<String> done = executor.submit("a", () -> {
                attempts.add(simulation.now());
                if (attempts.size() < 3) {
                    throw new IllegalStateException("not yet");
                }
                return "done";
            });
            assertThat(done.join()).isEqualTo("done");
            assertThat(attempts.get(0)).isZero();
            assertThat(attempts.get(2)).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
        });
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void timeMovesOnlyWhenNothingElseCan() {
        runner("time").run(simulation -> {
            List<String> order = new ArrayList<>();
            simulation.thread("late", () -> {
                simulation.sleep(Duration.ofSeconds(2));
                order.add("late");
            });
            simulation.thread("early", () -> {
                simulation.sleep(Duration.ofSeconds(1));
                order.add("early");
            });
            simulation.advance(Duration.ZERO);
            assertThat(order).isEmpty();
            simulation.advance(Duration.ofSeconds(1));
            assertThat(order).containsExactly("early");
            assertThat(simulation.now()).isEqualTo(Duration.ofSeconds(1));
            simulation.run();
            assertThat(order).containsExactly("early", "late");
        });
    }

    @Test
    void aSubmissionThatWaitsForRoomWaitsInTheSimulation() {
        runner("room").run(simulation -> {
            StripedExecutor executor = simulation
                    .striped("orders")
                    .threads(1)
                    .capacity(1)
                    .overflow(Overflow.block(Duration.ofDays(1)))
                    .build();
            List<Integer> ran = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                int number = i;
                executor.execute("a", () -> ran.add(number));
            }
            executor.close();
            assertThat(ran).containsExactly(0, 1, 2, 3, 4);
            assertThat(simulation.now()).isZero();
        });
    }

    @Test
    void aWaitWithALimitEndsInTheSimulation() {
        runner("limits").run(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            CompletableFuture<String> never = new CompletableFuture<>();
            CompletableFuture<String> held = executor.submitAsync("a", () -> never);
            assertThatThrownBy(() -> held.get(1, TimeUnit.HOURS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            assertThat(simulation.now()).isEqualTo(Duration.ofHours(1));
            assertThat(executor.awaitTermination(1, TimeUnit.DAYS)).isFalse();
            never.complete("late");
            assertThat(held.join()).isEqualTo("late");
        });
    }

    @Test
    void aStageIsCompletedAtSomeTime() {
        Set<List<String>> orders = new HashSet<>();
        runner("stages").run(simulation -> {
            List<String> order = new ArrayList<>();
            CompletableFuture<String> answer = simulation.stage("remote", "answer");
            var noted = answer.thenAccept(order::add);
            StripedExecutor executor = simulation.striped("orders").build();
            executor.execute("a", () -> order.add("task"));
            noted.join();
            simulation.run();
            orders.add(order);
        });
        assertThat(orders).containsExactlyInAnyOrder(List.of("answer", "task"), List.of("task", "answer"));
    }

    // failures

    @Test
    void aTaskThatReallyBlocksFailsWithItsStack() {
        long start = System.nanoTime();
        SimulationFailure failure = runner("blocked")
                .blockedAfter(Duration.ofSeconds(2))
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.execute("a", SimulationRunnerTest::block);
                    simulation.run();
                })
                .orElseThrow();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        assertThat(failure).hasMessageContaining("has come to no yield point for PT2S");
        assertThat(failure.getCause().getCause().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("block"));
    }

    static void block() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aTestThatBlocksItselfFailsAsWell() {
        SimulationFailure failure = runner("blocked test")
                .blockedAfter(Duration.ofSeconds(2))
                .find(simulation -> new CompletableFuture<>().join())
                .orElseThrow();
        assertThat(failure).hasMessageContaining("Thread 'test' has come to no yield point");
    }

    @Test
    void threadsThatWaitForEachOtherFailWithTheirStacks() {
        SimulationFailure failure = runner("stuck")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.control().pause();
                    executor.submit("a", () -> "never").join();
                })
                .orElseThrow();
        assertThat(failure.getCause())
                .hasMessageContaining("Nothing can happen any more, but threads wait: 'test' for a future");
        assertThat(failure.getCause().getSuppressed()[0].getStackTrace()).isNotEmpty();
    }

    @Test
    void aThreadThatIsLeftWaitingFails() {
        SimulationFailure failure = runner("left")
                .find(simulation -> simulation.thread("left", () -> simulation.await("godot", () -> false)))
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("'left' for godot");
    }

    @Test
    void aTaskThatIsNeverRunFails() {
        SimulationFailure failure = runner("lost")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.control().pause("a");
                    executor.execute("a", () -> {});
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("A task of orders[a] was accepted and has not ended");
    }

    @Test
    void aFailedTaskThatNoOneIsToldOfFails() {
        SimulationFailure failure = runner("uncaught")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.execute("a", () -> {
                        throw new IllegalStateException("unseen");
                    });
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessage("unseen");
    }

    @Test
    void anAssertionInATaskFailsThoughItsFutureIsNotLookedAt() {
        SimulationFailure failure = runner("assertion")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.submit("a", () -> {
                        throw new AssertionError("in a task");
                    });
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessage("in a task");
    }

    @Test
    void aSimulationThatDoesNotEndFails() {
        SimulationFailure failure = runner("endless")
                .find(simulation -> {
                    while (true) {
                        simulation.yieldPoint("again");
                    }
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("The simulation does not end");
    }

    // strangers

    @Test
    void anExecutorWithThreadsOutsideFailsWithItsName() {
        TakeOver.begin();
        try (StripedExecutor outside = StripedExecutor.builder().name("outside").build()) {
            outside.submit("a", () -> "outside").join();
            SimulationFailure failure = runner("strangers")
                    .find(simulation -> outside.submit("a", () -> "inside").join())
                    .orElseThrow();
            assertThat(failure.getCause()).hasMessageContaining("Executor 'outside' has thread 'outside-1'");
        }
    }

    @Test
    void anExecutorWithABusyThreadOutsideFailsWithItsNameAndRunsNothingThere() throws Exception {
        TakeOver.begin();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger insideRuns = new AtomicInteger();
        try (StripedExecutor outside =
                StripedExecutor.builder().name("outside").threads(1).build()) {
            Future<?> busy = outside.submit("a", () -> {
                begun.countDown();
                return end.await(30, TimeUnit.SECONDS);
            });
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            SimulationFailure failure;
            try {
                failure = runner("busy strangers")
                        .find(simulation ->
                                outside.submit("b", insideRuns::incrementAndGet).join())
                        .orElseThrow();
            } finally {
                end.countDown();
            }
            assertThat(failure.getCause()).hasMessageContaining("Executor 'outside' has thread 'outside-1'");
            assertThat(busy.get(30, TimeUnit.SECONDS)).isEqualTo(true);
        }
        assertThat(insideRuns).hasValue(0);
    }

    @Test
    void anExecutorThatWasBuiltBeforeAndNotUsedIsPartOfEachRun() {
        TakeOver.begin();
        try (StripedExecutor before =
                StripedExecutor.builder().name("before").threads(2).build()) {
            Set<String> orders = new HashSet<>();
            runner("before").run(simulation -> {
                StringBuilder order = new StringBuilder();
                before.execute("a", () -> order.append("a"));
                before.execute("b", () -> order.append("b"));
                simulation.run();
                orders.add(order.toString());
            });
            assertThat(orders).containsExactlyInAnyOrder("ab", "ba");
        }
    }

    @Test
    void aPoolThatWasHandedInIsReplaced() {
        var pool = Executors.newSingleThreadExecutor();
        try {
            runner("pools").run(simulation -> {
                StripedExecutor executor =
                        simulation.striped("orders").executor(pool).build();
                CompletableFuture<String> name =
                        executor.submit("a", () -> Thread.currentThread().getName());
                assertThat(name.join()).isEqualTo("orders-1");
            });
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void anExecutorOnThreadsThatAreNotPartOfItFailsWithItsName() {
        SimulationFailure failure = runner("foreign")
                .blockedAfter(Duration.ofSeconds(2))
                .find(simulation -> {
                    StripedExecutor executor = simulation
                            .striped("foreign")
                            .executor(task -> new Thread(task, "stranger").start())
                            .build();
                    executor.submit("a", () -> "").join();
                })
                .orElseThrow();
        assertThat(failure.getMessage()).contains("'foreign'");
    }
}
