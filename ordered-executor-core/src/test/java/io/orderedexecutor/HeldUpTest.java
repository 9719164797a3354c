package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When nothing that an executor has goes on by itself. */
class HeldUpTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new ArrayList<>();

    private Runnable task(String name) {
        return () -> ran.add(name);
    }

    private Runnable failingOnce(String name) {
        AtomicInteger runs = new AtomicInteger();
        return () -> {
            if (runs.getAndIncrement() == 0) {
                throw new IllegalStateException("expected");
            }
            ran.add(name);
        };
    }

    @Test
    void anExecutorWithoutTasksIsNot() {
        StripedExecutor executor = StripedExecutor.builder().executor(steps).build();
        assertThat(executor.control().isHeldUp()).isFalse();
        executor.control().pause("a");
        executor.control().pause();
        assertThat(executor.control().isHeldUp()).as("nothing waits").isFalse();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aParkedTaskHoldsUpWhatIsBehindItAndNoOther() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.park())
                .build();
        executor.execute("a", failingOnce("a1"));
        executor.execute("a", task("a2"));
        executor.execute("b", task("b"));
        assertThat(executor.control().isHeldUp()).as("not run yet").isFalse();
        steps.runNext();
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertThat(executor.control().isHeldUp())
                .as("b waits for a thread only")
                .isFalse();
        steps.runAll();
        assertThat(executor.control().isHeldUp()).isTrue();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(executor.control().isHeldUp()).isFalse();
        steps.runAll();
        assertThat(executor.control().isHeldUp()).as("all has run").isFalse();
        assertThat(ran).containsExactly("b", "a1", "a2");
        executor.shutdown();
    }

    @Test
    void aTaskThatWasDroppedHoldsAKeyOnlyUntilItsDependentActionsHaveRun() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(steps)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        executor.submitAsync(Groups.exclusive("a", "b"), () -> stage);
        steps.runAll();
        List<Boolean> seen = new ArrayList<>();
        executor.submit(Groups.exclusive("b", "c"), () -> "dropped").whenComplete((nothing, dropped) -> {
            executor.control().setKeyCapacity(2);
            executor.execute(Groups.exclusive("c"), task("behind"));
            stage.complete("");
            steps.runAll();
            seen.add(ran.isEmpty());
            seen.add(executor.control().isHeldUp());
        });
        executor.execute(Groups.exclusive("c"), task("last"));
        assertThat(seen).as("behind waits; held up").containsExactly(true, false);
        steps.runAll();
        assertThat(ran).containsExactly("behind", "last");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aPausedStripeAndAPausedExecutorHoldUpWhatDoesNotRun() {
        StripedExecutor executor = StripedExecutor.builder().executor(steps).build();
        executor.control().pause("a");
        executor.execute("a", task("a"));
        steps.runAll();
        assertThat(executor.control().isHeldUp()).isTrue();
        CompletableFuture<String> stage = new CompletableFuture<>();
        executor.submitAsync("b", () -> stage);
        steps.runAll();
        executor.execute("b", task("b"));
        executor.control().pause();
        assertThat(executor.control().isHeldUp()).as("a stage is not complete").isFalse();
        stage.complete("");
        steps.runAll();
        assertThat(executor.control().isHeldUp()).isTrue();
        executor.control().resume();
        assertThat(executor.control().isHeldUp()).as("b goes on").isFalse();
        steps.runAll();
        assertThat(executor.control().isHeldUp()).isTrue();
        assertThat(executor.control().resume("a")).isTrue();
        steps.runAll();
        assertThat(ran).containsExactly("b", "a");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aRetryDelayAndAReservationEndByThemselves() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofHours(1))
                        .multiplier(2)
                        .thenPark())
                .build();
        Reservation place = executor.reserve("a");
        executor.execute("a", task("behind"));
        assertThat(executor.control().isHeldUp()).as("a reservation").isFalse();
        executor.control().pause("a");
        assertThat(executor.control().isHeldUp())
                .as("what comes there is paused, too")
                .isTrue();
        executor.control().resume("a");
        place.close();
        steps.runAll();
        assertThat(ran).containsExactly("behind");
        executor.execute("a", failingOnce("again"));
        steps.runAll();
        assertThat(executor.control().isHeldUp()).as("a retry delay").isFalse();
        assertThat(executor.shutdownNow()).hasSize(1);
    }

    @Test
    void aParkedTaskOfSeveralGroupsHoldsUpThoseBehindItAndABarrier() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.park())
                .build();
        executor.execute(Groups.exclusive("a", "b"), failingOnce("a and b"));
        executor.execute(Groups.exclusive("b", "c"), task("b and c"));
        executor.execute(Groups.shared("c"), task("c"));
        executor.execute(Groups.all(), task("all"));
        executor.execute(Groups.exclusive("d"), task("d"));
        steps.runAll();
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertThat(executor.control().isHeldUp()).isTrue();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(executor.control().isHeldUp()).isFalse();
        steps.runAll();
        assertThat(ran).containsExactly("a and b", "b and c", "c", "all", "d");
        executor.control().pause("d");
        executor.execute(Groups.all(), task("all again"));
        steps.runAll();
        assertThat(executor.control().isHeldUp())
                .as("a barrier waits for the pause of any group")
                .isTrue();
        assertThat(executor.control().resume("d")).isTrue();
        steps.runAll();
        assertThat(ran).endsWith("d", "all again").hasSize(6);
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aPausedOutputExecutorIsHeldUpUnlessAPieceIsWorkedOn() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).window(4).build();
        OrderedOutput<String> output = executor.<String>outputTo(ran::add).open();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = output.submitAsync(() -> stage);
        CompletableFuture<String> second = output.submit(() -> "second");
        assertThat(executor.control().isHeldUp()).isFalse();
        steps.runAll();
        executor.control().pause();
        CompletableFuture<String> third = output.submit(() -> "third");
        assertThat(executor.control().isHeldUp())
                .as("the first piece is worked on")
                .isFalse();
        stage.complete("first");
        steps.runAll();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(executor.control().isHeldUp()).as("the third one is paused").isTrue();
        executor.control().resume();
        steps.runAll();
        assertThat(third).isCompleted();
        assertThat(executor.control().isHeldUp()).isFalse();
        assertThat(ran).containsExactly("first", "second", "third");
        executor.shutdown();
    }
}
