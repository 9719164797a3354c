package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ReplayTest {

    /** Fails if the second of three callers comes first, and then the third. */
    private static void secondFirst(Simulation simulation) {
        StripedExecutor executor = simulation.striped("orders").build();
        List<String> ran = new ArrayList<>();
        for (String caller : List.of("one", "two", "three")) {
            simulation.thread(caller, () -> executor.execute("alice", () -> ran.add(caller)));
        }
        simulation.run();
        assertThat(ran).isNotEqualTo(List.of("two", "three", "one"));
    }

    private static SimulationFailure find(String seed) {
        return SimulationRunner.named("replay")
                .seed(seed)
                .find(ReplayTest::secondFirst)
                .orElseThrow();
    }

    /**
     * The text that an earlier run has printed, perhaps on another JDK, still names the same run: its fingerprint is
     * that of all steps. It changes if the steps of the kit do; then take the one that the message has.
     */
    @Test
    void aSeedNamesTheSameRunOnEachJdk() {
        SimulationFailure failure = find("4711");
        assertThat(failure.seed()).isEqualTo("SCHEDULE-0x1.2.0x3.3-912bb17b");
    }

    @Test
    void bothSeedsOfAFailureRepeatIt() {
        SimulationFailure failure = find("4711");
        String seed = failure.getMessage().replaceAll("(?s).*seed = \"(RANDOM[^\"]*)\".*", "$1");
        for (String printed : List.of(seed, failure.seed())) {
            SimulationFailure again = find(printed);
            assertThat(again.seed()).isEqualTo(failure.seed());
            assertThat(again.getCause()).hasMessage(failure.getCause().getMessage());
        }
    }

    /** A run whose failure comes from a thread that goes on when nothing else happens, after the body has ended. */
    @Test
    void aFailureAfterTheEndOfTheBodyIsRepeated() {
        for (int i = 0; i < 50; i++) {
            SimulationFailure failure = SimulationRunner.named("late")
                    .seed("PCT-b27d4f9c6f7d30fa-43dbe473")
                    .find(ReplayTest::lateCancellation)
                    .orElseThrow();
            assertThat(failure.getMessage()).doesNotContain("another course").contains("shortest schedule");
        }
    }

    private static void lateCancellation(Simulation simulation) {
        StripedExecutor executor = simulation.striped("payments").build();
        int[] money = {10};
        CompletableFuture<Integer> payment = executor.submit("alice", () -> money[0] -= 5);
        simulation.thread("cancels", () -> {
            payment.cancel(false);
            executor.execute("alice", () -> money[0] += 0);
            simulation.run();
            assertThat(money[0]).as("a cancelled payment costs nothing").isEqualTo(10);
        });
    }

    @Test
    void theSameSeedTriesTheSameSchedules() {
        assertThat(traces("17")).isEqualTo(traces("17")).isNotEqualTo(traces("18"));
    }

    private static List<String> traces(String seed) {
        List<String> traces = new ArrayList<>();
        SimulationRunner.named("traces").runs(50).seed(seed).run(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            simulation.thread("one", () -> executor.execute("a", () -> {}));
            simulation.thread("two", () -> executor.execute("b", () -> {}));
            simulation.run();
            traces.add(Seed.fingerprintOf(simulation.scheduler().steps()));
        });
        return traces;
    }

    @Test
    void aRunThatTakesAnotherCourseWhenItIsRepeatedSaysWhere() {
        AtomicInteger runs = new AtomicInteger();
        SimulationFailure failure = SimulationRunner.named("diverging")
                .find(simulation -> {
                    simulation.yieldPoint("run " + runs.incrementAndGet());
                    throw new IllegalStateException("fails");
                })
                .orElseThrow();
        assertThat(failure)
                .hasMessageContaining("took another course when it was repeated")
                .hasMessageContaining("At step 1 it was: PT0S test: run 1\n            and then: PT0S test: run 2")
                .hasCause(new IllegalStateException("fails"));
    }

    @Test
    void aSeedOfAnotherTestSaysThatItDiverges() {
        String seed = find("4711").seed();
        SimulationFailure failure = SimulationRunner.named("other")
                .seed(seed)
                .find(simulation -> simulation.yieldPoint("elsewhere"))
                .orElseThrow();
        assertThat(failure)
                .hasMessageContaining("took another course")
                .hasMessageContaining("has changed since")
                .hasMessageContaining("It has passed");
    }

    @Test
    void aFixedTestPassesWithTheSeedThatFailed() {
        SimulationFailure failure = SimulationRunner.named("fixed")
                .find(simulation -> {
                    simulation.yieldPoint("here");
                    throw new IllegalStateException("not fixed");
                })
                .orElseThrow();
        SimulationRunner.named("fixed").seed(failure.seed()).run(simulation -> simulation.yieldPoint("here"));
    }

    @Test
    void whatIsNoSeedIsRefused() {
        for (String wrong : List.of("abc", "RANDOM-zz-0", "SCHEDULE-1.x-0", "RANDOM-1")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> find(wrong))
                    .withMessageContaining("'" + wrong + "' is no seed: a seed is a whole number, or what a failed");
        }
    }

    @Test
    void theShortestScheduleIsShortAndItsTracksAreToldByThreadAndKey() {
        SimulationFailure failure = find("4711");
        assertThat(failure.getMessage())
                .contains("To repeat the shortest run that fails: @SimulationTest(seed = \"" + failure.seed() + "\")")
                .contains("thread one ")
                .contains("thread orders-1 ")
                .contains("key    orders[alice] ");
        int decisions = Integer.parseInt(failure.getMessage()
                .replaceAll("(?s).*The shortest schedule has \\d+ steps and (\\d+) decision.*", "$1"));
        assertThat(decisions).isLessThanOrEqualTo(3);
    }

    /** To look for a shorter schedule must not take much longer than to find one that fails. */
    @Test
    void aScheduleThatBlocksEndsTheSearchForTheShortest() {
        AtomicInteger blocked = new AtomicInteger();
        SimulationFailure failure = SimulationRunner.named("blocks when it is short")
                .blockedAfter(Duration.ofSeconds(1))
                .find(simulation -> {
                    int chosen = simulation.choose(1000);
                    if (chosen == 0) {
                        blocked.incrementAndGet();
                        new CompletableFuture<>().join();
                    }
                    assertThat(chosen).isLessThan(990);
                })
                .orElseThrow();
        assertThat(failure.getMessage()).contains("shortest schedule");
        assertThat(blocked).hasValue(1);
    }
}
