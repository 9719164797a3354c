package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.HeardTasks.Kind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a listener hears of grouped tasks: each accepted one once with its end, under its groups. */
class GroupedListenerTest {
    private SteppedGroups groups = new SteppedGroups();

    private List<Kind> kindsOf(Object task, Object key) {
        List<HeardTasks.Event> events = groups.heard.all().stream()
                .filter(event -> event.task() == task)
                .toList();
        assertThat(events).allMatch(event -> event.stripe() == key);
        return events.stream().map(HeardTasks.Event::kind).toList();
    }

    @Test
    @DisplayName("the key is that of the submission, or its very Groups, or null; the task is the very object")
    void keysAndTasks() {
        SteppedGroups.Named rollup = groups.named("rollup");
        SteppedGroups.Named barrier = groups.named("barrier");
        SteppedGroups.Named ordered = groups.named("ordered");
        SteppedGroups.Named viaView = groups.named("view");
        Runnable plain = () -> {};
        groups.executor.execute(AB, (Runnable) rollup);
        groups.executor.execute(Groups.all(), (Runnable) barrier);
        groups.executor.execute((OrderedTask) ordered);
        groups.executor.executorFor(B).execute(viaView);
        groups.executor.asExecutorService().submit(plain);
        SteppedGroups.Held held = groups.hold(A, "held");
        groups.run();
        held.end();
        List<Kind> all = List.of(Kind.QUEUED, Kind.STARTED, Kind.FINISHED);
        assertThat(kindsOf(rollup, AB)).isEqualTo(all);
        assertThat(kindsOf(barrier, Groups.all())).isEqualTo(all);
        assertThat(kindsOf(ordered, null)).isEqualTo(all);
        assertThat(kindsOf(viaView, "b")).isEqualTo(all);
        assertThat(kindsOf(plain, null)).isEqualTo(all);
        assertThat(kindsOf(held, "a")).isEqualTo(all);
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    @DisplayName("each way to end, in each state: one end, after all else")
    void ends() {
        groups = new SteppedGroups(settings -> settings.keyCapacity(2)
                .overflow(Overflow.discardOldest())
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark()));
        SteppedGroups.Named failing = groups.new Named("failing", () -> {
            throw new ThrownOnPurpose();
        });
        CompletableFuture<String> parked = groups.executor.submit(AB, (java.util.concurrent.Callable<String>) failing);
        groups.run();
        groups.timer.fire();
        groups.run();
        SteppedGroups.Named waiting = groups.named("waiting");
        groups.executor.execute(A, (Runnable) waiting);
        groups.executor.control().skip("b");
        assertThat(parked).isCompletedExceptionally();
        assertThat(kindsOf(failing, AB))
                .containsExactly(Kind.QUEUED, Kind.STARTED, Kind.RETRIED, Kind.STARTED, Kind.PARKED, Kind.FAILED);
        groups.run();
        SteppedGroups.Named dropped = groups.named("dropped");
        groups.executor.execute(AB, (Runnable) dropped);
        groups.execute(A, "1");
        groups.execute(A, "2");
        assertThat(kindsOf(dropped, AB)).containsExactly(Kind.QUEUED, Kind.DROPPED);
        groups.run();
        groups.steps.refuse(true);
        SteppedGroups.Named refused = groups.named("refused");
        assertThatThrownBy(() -> groups.executor.execute(AB, (Runnable) refused))
                .isInstanceOf(RejectedExecutionException.class);
        groups.steps.refuse(false);
        assertThat(kindsOf(refused, AB)).containsExactly(Kind.REJECTED);
        SteppedGroups.Named cancelled = groups.named("cancelled");
        groups.executor
                .submit(B, (java.util.concurrent.Callable<String>) cancelled)
                .cancel(true);
        assertThat(kindsOf(cancelled, "b")).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        assertThat(kindsOf(waiting, "a")).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FINISHED);
        groups.assertAllEnded(3, 1, 2, 1);
    }

    @Test
    @DisplayName("a listener that throws at each event, or interrupts, changes nothing")
    void aListenerThatThrows() {
        SteppedExecutor steps = new SteppedExecutor();
        HeardTasks heard = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                Thread.currentThread().interrupt();
                throw new ThrownOnPurpose();
            }
        };
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalStateException("a handler that fails, too");
        });
        try {
            GroupedExecutor executor = GroupedExecutor.builder()
                    .executor(steps)
                    .keyCapacity(5)
                    .listener(heard)
                    .build();
            for (int i = 0; i < 5; i++) {
                executor.execute(AB, () -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                });
            }
            assertThatThrownBy(() -> executor.execute(AB, () -> {})).isInstanceOf(RejectedExecutionException.class);
            Thread.interrupted();
            steps.runAll();
            Thread.interrupted();
            executor.submit(A, () -> 1).cancel(true);
            executor.submit(A, () -> 1);
            executor.execute(B, () -> {});
            assertThat(executor.shutdownNow()).hasSize(2);
            assertThat(executor.isTerminated()).isTrue();
            assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 5, 0, 3, 1));
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
            Thread.interrupted();
        }
        assertThat(heard.all().stream().filter(event -> event.kind().isEnd())).hasSize(8);
    }
}
