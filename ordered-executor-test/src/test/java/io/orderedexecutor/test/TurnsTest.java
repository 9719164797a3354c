package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread of a simulation runs in its turn only, and a run is over when all its threads are. */
@Timeout(120)
class TurnsTest {
    private static SimulationRunner runner(String name) {
        return SimulationRunner.named(name).runs(50).blockedAfter(Duration.ofMinutes(1));
    }

    // the end of a run

    @Test
    void whatAThreadDoesWhenNothingElseHappensIsPartOfTheRun() {
        List<Boolean> over = new ArrayList<>();
        runner("late")
                .run(simulation -> simulation.thread("late", () -> {
                    simulation.run();
                    over.add(simulation.scheduler().isOver());
                }));
        assertThat(over).hasSize(50).containsOnly(false);
    }

    @Test
    void allThatWaitForNothingElseGoOnBeforeTheEnd() {
        runner("several").run(simulation -> {
            List<String> ran = new ArrayList<>();
            for (String name : List.of("x", "y")) {
                simulation.thread(name, () -> {
                    simulation.run();
                    ran.add(name);
                    simulation.yieldPoint("again");
                    simulation.run();
                    ran.add(name);
                });
            }
            simulation.thread("last", () -> {
                simulation.await("all", () -> ran.size() == 4);
                assertThat(ran).containsExactlyInAnyOrder("x", "y", "x", "y");
            });
        });
    }

    @Test
    void aRunThatIsGivenUpDoesNotGoOnBehindTheNextOne() throws Exception {
        AtomicReference<Thread> body = new AtomicReference<>();
        AtomicBoolean wentOn = new AtomicBoolean();
        SimulationFailure failure = runner("given up")
                .blockedAfter(Duration.ofSeconds(2))
                .find(simulation -> {
                    body.set(Thread.currentThread());
                    StripedExecutor executor = simulation.striped("orders").build();
                    executor.execute("a", SimulationRunnerTest::block);
                    simulation.run();
                    wentOn.set(true);
                })
                .orElseThrow();
        assertThat(failure).hasMessageContaining("Thread 'orders-1' has come to no yield point");
        body.get().join(30_000);
        assertThat(body.get().isAlive()).isFalse();
        assertThat(wentOn).isFalse();
    }

    @Test
    void aTaskThatAlwaysSubmitsItselfAgainFails() {
        SimulationFailure failure = runner("self-submission")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    Runnable[] again = new Runnable[1];
                    again[0] = () -> executor.execute("a", again[0]);
                    again[0].run();
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("The simulation does not end");
    }

    @Test
    void aThreadThatWaitsWithoutEndFails() {
        SimulationFailure failure = runner("polling")
                .find(simulation -> {
                    while (true) {
                        simulation.sleep(Duration.ofSeconds(1));
                    }
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("The simulation does not end");
    }

    // time

    @Test
    void eachThreadThatLetsTimePassGoesOnAtItsTime() {
        runner("times").run(simulation -> {
            List<Duration> times = new ArrayList<>();
            for (String name : List.of("x", "y")) {
                simulation.thread(name, () -> {
                    simulation.advance(Duration.ofSeconds(1));
                    times.add(simulation.now());
                });
            }
            simulation.thread("much later", () -> simulation.sleep(Duration.ofHours(1)));
            simulation.run();
            assertThat(times).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
        });
    }

    // conditions

    @Test
    void aConditionThatThrowsFailsTheThreadThatWaitsForIt() {
        SimulationFailure failure = runner("condition")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    List<String> ran = new ArrayList<>();
                    simulation.thread(
                            "waits",
                            () -> simulation.await(
                                    "the second",
                                    () -> ran.size() == 1 && ran.get(1).isEmpty()));
                    executor.execute("a", () -> ran.add("first"));
                })
                .orElseThrow();
        assertThat(failure.getCause()).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(failure.getMessage()).doesNotContain("another course");
    }

    @Test
    void aConditionThatWaitsItselfIsRefused() {
        SimulationFailure failure = runner("waiting condition")
                .find(simulation -> {
                    StripedExecutor executor = simulation.striped("orders").build();
                    boolean[] there = {false};
                    simulation.thread("waits", () -> simulation.await("an answer", () -> there[0] && ask(executor)));
                    there[0] = true;
                })
                .orElseThrow();
        assertThat(failure.getCause()).hasMessageContaining("condition waits for a future; a condition must not wait");
    }

    private static boolean ask(StripedExecutor executor) {
        return executor.submit("a", () -> true).join();
    }

    // asynchronous actions

    @Test
    void whatAStageRunsAsynchronouslyIsPartOfTheRun() {
        Set<List<String>> orders = new HashSet<>();
        runner("async").run(simulation -> {
            List<String> order = new ArrayList<>();
            CompletableFuture<String> answer = simulation.stage("remote", "answer");
            CompletableFuture<Void> noted = answer.thenAcceptAsync(order::add);
            simulation.thread("other", () -> order.add("other"));
            noted.join();
            simulation.run();
            orders.add(order);
        });
        assertThat(orders).containsExactlyInAnyOrder(List.of("answer", "other"), List.of("other", "answer"));
    }

    // factories of threads

    /** What a factory puts around the body of a thread is run while no other thread runs. */
    @Test
    void theCodeOfAThreadFactoryRunsInTurnToo() {
        CountDownLatch submitterGoesOn = new CountDownLatch(1);
        CountDownLatch closerGoesOn = new CountDownLatch(1);
        List<String> order = new ArrayList<>();
        runner("factories").runs(1).run(simulation -> {
            StripedExecutor executor = simulation
                    .striped("orders")
                    .threadFactory(body -> new Thread(() -> {
                        order.add(goesOn(submitterGoesOn) ? "somebody else goes on" : "before");
                        body.run();
                        order.add(goesOn(closerGoesOn) ? "somebody else goes on" : "after");
                    }))
                    .build();
            executor.execute("a", () -> {});
            submitterGoesOn.countDown();
            executor.close();
            simulation.run();
            closerGoesOn.countDown();
        });
        assertThat(order).containsExactly("before", "after");
    }

    private static boolean goesOn(CountDownLatch other) {
        try {
            return other.await(100, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
