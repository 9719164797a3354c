package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * R8: as many tasks are queued as the capacities allow, and no permit is ever lost or doubled: after each way in which
 * a task can leave the queue, exactly as many fit again.
 */
class StripedBoundsTest {
    private static final int CAPACITY = 3;
    private static final int MANY = 100;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();

    private StripedExecutor executor = StripedExecutor.builder()
            .executor(stepped)
            .name("till")
            .capacity(CAPACITY)
            .build();

    private StripedExecutor build(StripedExecutorBuilder builder) {
        executor = builder.executor(stepped).name("till").build();
        return executor;
    }

    private void count() {
        ran.incrementAndGet();
    }

    private boolean accepts(Object stripe) {
        try {
            executor.execute(stripe, this::count);
        } catch (RejectedExecutionException full) {
            return false;
        }
        accepted.incrementAndGet();
        return true;
    }

    /** How many tasks of one stripe fit. */
    private int roomIn(Object stripe) {
        int room = 0;
        while (room < MANY && accepts(stripe)) {
            room++;
        }
        return room;
    }

    /** How many tasks fit in all. */
    private int room() {
        int room = 0;
        while (room < MANY && accepts(new Object())) {
            room++;
        }
        return room;
    }

    private void assertAllRoomAfterRunningAll() {
        stepped.runAll();
        assertThat(room()).as("room when nothing is queued").isEqualTo(CAPACITY);
        stepped.runAll();
        assertThat(room()).as("room, again").isEqualTo(CAPACITY);
    }

    @AfterEach
    void allAcceptedTasksRanOnce() {
        stepped.runAll();
        assertThat(ran.get() + taken.get()).as("ends of tasks").isEqualTo(accepted.get());
        assertThat(executor.inspect().stats().keys()).isZero();
        assertThat(executor.inspect().stats().queued()).isZero();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("capacity: exactly n tasks fit, over all stripes; the next is refused and counted")
    void capacity() {
        assertThat(roomIn("a")).isEqualTo(CAPACITY);
        assertThatThrownBy(() -> executor.execute("b", this::count))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("striped executor 'till' has no room: its capacity is 3 queued tasks; raise capacity, "
                        + "or use Overflow.block or discardOldest");
        assertThatThrownBy(() -> executor.with(Overflow.reject()).execute("b", this::count))
                .as("the caller has chosen the policy")
                .hasMessageEndingWith("queued tasks; raise capacity");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 3, 3, 0, 0, 0, 0, 0, 3));
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("stripeCapacity: exactly n tasks fit in each stripe")
    void stripeCapacity() {
        build(StripedExecutor.builder().keyCapacity(2));
        assertThat(roomIn("a")).isEqualTo(2);
        assertThat(roomIn("b")).isEqualTo(2);
        assertThatThrownBy(() -> executor.submit("a", () -> 1))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("key a of striped executor 'till' has no room: its key capacity is 2 queued tasks; "
                        + "raise keyCapacity, or use Overflow.block or discardOldest");
        stepped.runAll();
        assertThat(roomIn("a")).as("in the stripe that is opened anew").isEqualTo(2);
    }

    @Test
    void bothCapacitiesHoldAtTheSameTime() {
        build(StripedExecutor.builder().capacity(CAPACITY).keyCapacity(2));
        assertThat(roomIn("a")).isEqualTo(2);
        assertThat(roomIn("b")).isEqualTo(1);
        stepped.runAll();
        assertThat(roomIn("a")).isEqualTo(2);
        assertThat(room()).isEqualTo(1);
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("A running task does not count: its permit is free as soon as it starts")
    void aRunningTaskDoesNotCount() {
        for (StripedExecutorBuilder builder : List.of(
                StripedExecutor.builder().capacity(CAPACITY),
                StripedExecutor.builder().keyCapacity(CAPACITY))) {
            build(builder);
            AtomicInteger roomInside = new AtomicInteger();
            executor.execute("a", () -> roomInside.set(roomIn("a")));
            stepped.runAll();
            assertThat(roomInside).hasValue(CAPACITY);
            assertThat(roomIn("a")).isEqualTo(CAPACITY);
            stepped.runAll();
        }
    }

    @Test
    void anAsynchronousTaskDoesNotCountWhileItsStageIsOpen() {
        build(StripedExecutor.builder().capacity(CAPACITY).keyCapacity(CAPACITY));
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        stepped.runAll();
        assertThat(roomIn("a")).isEqualTo(CAPACITY);
        stage.complete(1);
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("A task that is cancelled, or whose future is completed by somebody else, makes room at once, "
            + "wherever it waits")
    void aTaskThatIsDoneBeforeItsTurnMakesRoom() {
        for (StripedExecutorBuilder builder : List.of(
                StripedExecutor.builder().capacity(CAPACITY),
                StripedExecutor.builder().keyCapacity(CAPACITY))) {
            for (int position = 0; position < CAPACITY; position++) {
                build(builder);
                List<CompletableFuture<Integer>> futures = new ArrayList<>();
                for (int i = 0; i < CAPACITY; i++) {
                    futures.add(executor.submit("a", () -> {
                        throw new AssertionError("must not run");
                    }));
                }
                CompletableFuture<Integer> done = futures.get(position);
                switch (position) {
                    case 0 -> done.cancel(false);
                    case 1 -> done.complete(1);
                    default -> done.completeExceptionally(new ThrownOnPurpose());
                }
                assertThat(roomIn("a")).isEqualTo(1);
                done.cancel(true);
                assertThat(roomIn("a")).as("after a second time").isZero();
                futures.forEach(future -> future.cancel(true));
                assertThat(roomIn("a")).isEqualTo(CAPACITY - 1);
                stepped.runAll();
                assertThat(roomIn("a")).isEqualTo(CAPACITY);
                stepped.runAll();
            }
        }
    }

    @Test
    void aTaskThatFailsOrIsInterruptedGivesItsPermitBackOnce() {
        executor.submit("a", () -> {
            throw new ThrownOnPurpose();
        });
        executor.submitAsync("a", () -> {
            throw new ThrownOnPurpose();
        });
        CompletableFuture<?>[] self = new CompletableFuture<?>[1];
        self[0] = executor.submit("b", () -> self[0].cancel(true));
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("A refused hand-over gives the permit back once")
    void aRefusedHandOver() {
        ExecutorService view = executor.asExecutorService();
        stepped.refuse(true);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> executor.execute("a", this::count)).hasMessage("refused by the test");
            assertThatThrownBy(() -> executor.submit("a", () -> 1)).hasMessage("refused by the test");
            assertThatThrownBy(() -> executor.submitAsync("a", () -> null)).hasMessage("refused by the test");
            assertThatThrownBy(() -> view.execute(this::count)).hasMessage("refused by the test");
            assertThatThrownBy(() -> view.execute(Striped.task("a", this::count)))
                    .hasMessage("refused by the test");
        }
        stepped.refuse(false);
        assertAllRoomAfterRunningAll();
    }

    /** Equal to others of its id; throws when told to. All have one hash code. */
    private static final class Key {
        private final int id;
        private boolean equalsThrows;
        private boolean hashCodeThrows;

        Key(int id) {
            this.id = id;
        }

        @Override
        public boolean equals(Object other) {
            if (equalsThrows) {
                throw new ThrownOnPurpose();
            }
            return other instanceof Key key && key.id == id;
        }

        @Override
        public int hashCode() {
            if (hashCodeThrows) {
                throw new ThrownOnPurpose();
            }
            return 1;
        }
    }

    @Test
    @DisplayName("A key whose equals or hashCode throws costs no permit")
    void aKeyThatThrows() {
        for (Overflow overflow : List.of(Overflow.reject(), Overflow.discardOldest(), Overflow.block(Duration.ZERO))) {
            build(StripedExecutor.builder().capacity(CAPACITY).keyCapacity(1).overflow(overflow));
            accepts(new Key(1));
            Key faulty = new Key(2);
            faulty.equalsThrows = true;
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> executor.execute(faulty, this::count)).isInstanceOf(ThrownOnPurpose.class);
            }
            Key unhashable = new Key(3);
            unhashable.hashCodeThrows = true;
            assertThatThrownBy(() -> executor.execute(unhashable, this::count)).isInstanceOf(ThrownOnPurpose.class);
            assertThat(room()).isEqualTo(CAPACITY - 1);
            // full: the search for something to drop fails in the same way
            assertThatThrownBy(() -> executor.execute(faulty, this::count))
                    .isInstanceOfAny(ThrownOnPurpose.class, RejectedExecutionException.class);
            assertAllRoomAfterRunningAll();
            stepped.runAll();
        }
    }

    @Test
    @DisplayName("Tasks without a stripe count in the whole, and each is a stripe of its own")
    void tasksWithoutAStripe() {
        build(StripedExecutor.builder().capacity(CAPACITY).keyCapacity(1));
        ExecutorService view = executor.asExecutorService();
        for (int i = 0; i < CAPACITY; i++) {
            view.execute(this::count);
            accepted.incrementAndGet();
        }
        assertThatThrownBy(() -> view.submit(this::count)).isInstanceOf(RejectedExecutionException.class);
        assertThat(room()).isZero();
        assertAllRoomAfterRunningAll();
        stepped.runAll();
        view.submit(this::count).cancel(false);
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("With discardOldest, a task without a stripe finds nothing to drop and is refused")
    void tasksWithoutAStripeDropNothing() {
        build(StripedExecutor.builder().capacity(CAPACITY).overflow(Overflow.discardOldest()));
        ExecutorService view = executor.asExecutorService();
        for (int i = 0; i < CAPACITY; i++) {
            view.execute(this::count);
            accepted.incrementAndGet();
        }
        assertThatThrownBy(() -> view.execute(this::count)).isInstanceOf(RejectedExecutionException.class);
        assertAllRoomAfterRunningAll();
    }

    @Test
    @DisplayName("A task that parks is put back beyond the capacity, and the count is right afterwards")
    void aParkedTaskIsPutBackBeyondTheCapacity() {
        build(StripedExecutor.builder().capacity(CAPACITY).failurePolicy(FailurePolicy.park()));
        AtomicInteger runs = new AtomicInteger();
        executor.execute("a", () -> {
            if (runs.incrementAndGet() < 3) {
                room(); // filled up, so there is none for this task
                throw new ThrownOnPurpose();
            }
        });
        stepped.runNext();
        assertThat(executor.inspect().stats().queued()).isEqualTo(CAPACITY + 1);
        assertThat(accepts("b")).isFalse();
        stepped.runAll();
        assertThat(executor.inspect().stats().queued()).as("the parked one").isEqualTo(1);
        assertThat(room()).isEqualTo(CAPACITY - 1);
        executor.control().resume((Object) "a");
        stepped.runAll(); // fails again
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 0, false, true));
        assertThat(room()).isEqualTo(CAPACITY - 1);
        executor.control().skip("a");
        assertThat(room()).isEqualTo(1);
        assertThat(executor.inspect().stats().failed()).isEqualTo(1);
        assertAllRoomAfterRunningAll();
        assertThat(runs).hasValue(2);
    }

    @Test
    @DisplayName("A task that waits for its next attempt counts, is never refused, and its cancellation makes room")
    void aTaskThatIsRetriedIsPutBackBeyondTheCapacity() {
        HandTimer timer = new HandTimer();
        build(StripedExecutor.builder()
                .capacity(1)
                .keyCapacity(1)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(9)
                        .delay(Duration.ofMinutes(1))
                        .multiplier(2)
                        .thenProceed())
                .platform(timer));
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<?> future = executor.submit("a", () -> {
            runs.incrementAndGet();
            roomIn("a");
            throw new ThrownOnPurpose();
        });
        stepped.runAll();
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 0, Duration.ZERO, 0, false, false));
        assertThat(accepts("a")).isFalse();
        assertThat(accepts("b")).isFalse();
        timer.fire();
        stepped.runNext();
        assertThat(runs).hasValue(2);
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        assertThat(accepts("b")).isFalse();
        future.cancel(true);
        assertThat(executor.inspect().stats().queued()).isEqualTo(1);
        assertThat(accepts("b"))
                .as("one of two that were beyond the capacity is gone")
                .isFalse();
        timer.fire();
        stepped.runAll();
        assertThat(roomIn("a")).isEqualTo(1);
        assertThat(runs).hasValue(2);
    }

    @Test
    @DisplayName("shutdownNow takes back what is queued, counts it as cancelled, and refuses what comes")
    void shutdownNowTakesBack() {
        assertThat(roomIn("a")).isEqualTo(CAPACITY);
        taken.addAndGet(executor.shutdownNow().size());
        assertThat(taken).hasValue(CAPACITY);
        assertThat(accepts("a")).isFalse();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, CAPACITY, 2));
    }

    @Test
    @DisplayName("A paused executor and a paused stripe accept within the bounds")
    void pausedStripesHaveBoundsToo() {
        build(StripedExecutor.builder().capacity(CAPACITY).keyCapacity(2));
        executor.control().pause((Object) "a");
        assertThat(roomIn("a")).isEqualTo(2);
        executor.control().pause();
        assertThat(roomIn("b")).isEqualTo(1);
        stepped.runAll();
        assertThat(ran).hasValue(0);
        assertThat(room()).isZero();
        executor.control().resume();
        executor.control().resume((Object) "a");
        assertAllRoomAfterRunningAll();
    }
}
