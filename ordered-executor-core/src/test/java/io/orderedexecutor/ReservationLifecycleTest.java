package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R12 with R7, R8 and R9: bounds, overflow, leases, shutdown and memory of reserved places. */
class ReservationLifecycleTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final List<String> ran = new ArrayList<>();

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder().name("orders").executor(steps).platform(timer);
    }

    private Runnable task(String name) {
        return new Runnable() {
            @Override
            public void run() {
                ran.add(name);
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    // R8

    @Test
    @DisplayName("an open place has a permit until its task starts, or it is given back, also in its turn")
    void bounds() {
        StripedExecutor executor = builder().capacity(2).build();
        Reservation first = executor.reserve("a");
        Reservation second = executor.reserve("b");
        steps.runAll();
        assertThatThrownBy(() -> executor.reserve("c")).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.execute("c", task("no room"))).isInstanceOf(RejectedExecutionException.class);
        first.execute(task("first"));
        assertThatThrownBy(() -> executor.reserve("c")).isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        second.close();
        executor.reserve("c").execute(task("third"));
        executor.reserve("c").execute(task("fourth"));
        steps.runAll();
        assertThat(ran).containsExactly("first", "third", "fourth");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 3));
        assertThat(executor.inspect().rejections().capacity()).isEqualTo(3);
    }

    @Test
    @DisplayName("an overflow that discards drops queued tasks and never an open place")
    void neverDiscarded() {
        StripedExecutor executor =
                builder().keyCapacity(2).overflow(Overflow.discardOldest()).build();
        Reservation place = executor.reserve("a");
        Future<Boolean> oldest = executor.submit("a", () -> ran.add("oldest"));
        executor.execute("a", task("newer"));
        assertThat(oldest).isCancelled();
        Reservation next = executor.reserve("a");
        assertThatThrownBy(() -> executor.execute("a", task("no room")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("key a of striped executor 'orders' has no room");
        assertThat(executor.inspect().snapshot("a")).hasValueSatisfying(stripe -> {
            assertThat(stripe.queued()).isEqualTo(2);
            assertThat(stripe.reserved()).isEqualTo(2);
        });
        place.execute(task("place"));
        next.execute(task("next"));
        steps.runAll();
        assertThat(ran).containsExactly("place", "next");
        assertThat(executor.inspect().reserved().count()).isZero();
    }

    @Test
    @DisplayName("a place that is refused leaves the limits as they are")
    void aRefusedPlaceMakesNoRoom() {
        StripedExecutor executor = builder().keyCapacity(1).capacity(2).build();
        executor.execute("a", () -> {});
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> executor.reserve("a")).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> executor.execute("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
        }
        executor.execute("b", () -> {});
        assertThatThrownBy(() -> executor.execute("c", () -> {})).isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(executor.inspect().stats().completed()).isEqualTo(2);

        GroupedExecutor grouped = GroupedExecutor.builder()
                .executor(steps)
                .keyCapacity(1)
                .capacity(2)
                .build();
        grouped.execute(Groups.exclusive("a"), () -> {});
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> grouped.reserve(Groups.exclusive("a")))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> grouped.reserve(Groups.exclusive("a", "b")))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> grouped.execute(Groups.exclusive("a"), () -> {}))
                    .isInstanceOf(RejectedExecutionException.class);
        }
        grouped.execute(Groups.exclusive("b"), () -> {});
        assertThatThrownBy(() -> grouped.execute(Groups.exclusive("c"), () -> {}))
                .isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(grouped.inspect().stats().completed()).isEqualTo(2);
    }

    @Test
    @DisplayName("the same with groups, and with a capacity of the executor")
    void neverDiscardedInGroups() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(steps)
                .keyCapacity(1)
                .capacity(2)
                .overflow(Overflow.discardOldest())
                .build();
        Reservation place = executor.reserve(Groups.exclusive("a", "b"));
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("a"), task("no room")))
                .isInstanceOf(RejectedExecutionException.class);
        Reservation other = executor.reserve(Groups.exclusive("c"));
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("d"), task("no room")))
                .isInstanceOf(RejectedExecutionException.class);
        place.execute(task("place"));
        other.close();
        steps.runAll();
        assertThat(ran).containsExactly("place");
        assertThat(executor.inspect().deepestKeys(3)).isEmpty();
    }

    @Test
    @DisplayName("a submitter that waits for room gets that of a place that is given back")
    void waitsForRoom() {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .capacity(1)
                .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                .build()) {
            Reservation place = executor.reserve("a");
            assertThatThrownBy(() -> executor.with(Overflow.reject()).reserve("b"))
                    .isInstanceOf(RejectedExecutionException.class);
            AtomicReference<Reservation> second = new AtomicReference<>();
            Thread waiter = new Thread(() -> second.set(executor.reserve("b")));
            waiter.start();
            Patience.awaitParked(waiter);
            assertThat(executor.inspect().reserved().count()).isEqualTo(1);
            place.close();
            Patience.join(waiter);
            assertThat(Patience.get(second.get().submit(() -> ran.add("second"))))
                    .isTrue();
        }
    }

    // leases

    @Test
    @DisplayName("a lease begins with the turn; when it is over, the place is given back and that is reported")
    void lease() {
        StripedExecutor executor =
                builder().reservationLease(Duration.ofSeconds(5)).build();
        assertThat(executor.inspect().settings().reservationLease()).isEqualTo(Duration.ofSeconds(5));
        executor.execute("a", task("before"));
        Reservation first = executor.reserve("a");
        executor.execute("a", task("between"));
        Reservation second = executor.reserve("a");
        assertThat(timer.waiting()).isZero();
        steps.runAll();
        assertThat(timer.pauses()).containsExactly(Duration.ofSeconds(5));
        List<Throwable> reported = reported(timer::fire);
        assertThat(reported)
                .singleElement()
                .isInstanceOf(TimeoutException.class)
                .asString()
                .contains(
                        "the reservation for a in striped executor 'orders' was neither used nor given back within its "
                                + "lease of PT5S from its turn on");
        steps.runAll();
        assertThat(ran).containsExactly("before", "between");
        assertThatThrownBy(() -> first.execute(task("late")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("its lease of PT5S was over");
        assertThat(timer.waiting()).as("the turn of the second has come").isEqualTo(1);
        second.execute(task("second"));
        assertThat(reported(timer::fire)).isEmpty();
        steps.runAll();
        assertThat(ran).containsExactly("before", "between", "second");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("without a timer, a place has no lease and can still be used")
    void noTimer() {
        StripedExecutor executor =
                builder().reservationLease(Duration.ofSeconds(5)).build();
        timer.breakWith(new OutOfMemoryError("no timer, on purpose"));
        AtomicReference<Reservation> reserved = new AtomicReference<>();
        assertThat(reported(() -> reserved.set(executor.reserve("a"))))
                .singleElement()
                .isInstanceOf(OutOfMemoryError.class);
        Reservation place = reserved.get();
        place.execute(task("used"));
        steps.runAll();
        assertThat(ran).containsExactly("used");
    }

    @Test
    @DisplayName("a lease must be positive")
    void leaseOutOfRange() {
        assertThatThrownBy(() -> builder().reservationLease(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("reservationLease is PT0S, but must be positive; leave it out for no limit");
        assertThatThrownBy(() -> GroupedExecutor.builder().reservationLease(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Throwable> reported(Runnable action) {
        List<Throwable> reported = new ArrayList<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, failure) -> reported.add(failure));
        try {
            action.run();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        return reported;
    }

    // R9

    @Test
    @DisplayName("shutdown waits for an open place, and its task is accepted")
    void shutdown() {
        StripedExecutor executor = builder().build();
        Reservation place = executor.reserve("a");
        Reservation unused = executor.reserve("b");
        steps.runAll();
        executor.shutdown();
        steps.runAll();
        assertThat(executor.isTerminated()).isFalse();
        assertThatThrownBy(() -> executor.reserve("a")).hasMessageContaining("is shut down");
        Future<Boolean> future = place.submit(() -> ran.add("after the shutdown"));
        steps.runAll();
        assertThat(Patience.get(future)).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        unused.close();
        steps.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().reserved().count()).isZero();
    }

    @Test
    @DisplayName("shutdownNow gives open places back, returns the tasks of used ones, and refuses what comes later")
    void shutdownNow() {
        StripedExecutor executor = builder().build();
        Reservation inTurn = executor.reserve("a");
        Reservation behind = executor.reserve("a");
        Reservation used = executor.reserve("a");
        Runnable submitted = task("used");
        used.execute(submitted);
        steps.runAll();
        assertThat(executor.shutdownNow()).containsExactly(submitted);
        steps.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(inTurn.isOpen()).isFalse();
        assertThatThrownBy(() -> inTurn.execute(task("late")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the reservation for a in striped executor 'orders' was given back when the executor was "
                        + "shut down, so this task is not accepted");
        assertThatThrownBy(() -> behind.submit(() -> ran.add("late"))).isInstanceOf(RejectedExecutionException.class);
        behind.close();
        assertThat(ran).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 2));
    }

    @Test
    @DisplayName("a shutdown that cancels what is behind a parked task gives the places there back")
    void parkedAtShutdown() {
        StripedExecutor executor = builder().failurePolicy(FailurePolicy.park()).build();
        executor.submit("a", () -> {
            throw new ThrownOnPurpose();
        });
        Reservation behind = executor.reserve("a");
        steps.runAll();
        executor.shutdown();
        steps.runAll();
        assertThatThrownBy(() -> behind.execute(task("late"))).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 1));
    }

    @Test
    @DisplayName("listeners hear of a task that comes after the shutdown as rejected, and it counts so")
    void rejectedAfterShutdownNow() {
        List<Object> rejected = new ArrayList<>();
        StripedExecutor executor = builder()
                .listener(new TaskListener() {
                    @Override
                    public void rejected(@Nullable Object key, Object task, Throwable reason) {
                        rejected.addAll(List.of(Objects.requireNonNull(key), task, reason.getClass()));
                    }
                })
                .build();
        Reservation open = executor.reserve("a");
        executor.shutdownNow();
        Runnable late = task("late");
        assertThatThrownBy(() -> open.execute(late)).isInstanceOf(RejectedExecutionException.class);
        assertThat(rejected).containsExactly("a", late, RejectedExecutionException.class);
        assertThat(executor.inspect().rejections()).isEqualTo(new Rejections(0, 0, 1, 0));
        steps.runAll();
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("the same for groups")
    void groups() {
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        Reservation open = executor.reserve(Groups.exclusive("a", "b"));
        Reservation waiting = executor.reserve(Groups.exclusive("b", "c"));
        Future<Boolean> behind = executor.submit(Groups.exclusive("c"), () -> ran.add("behind"));
        executor.shutdown();
        steps.runAll();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.shutdownNow()).hasSize(1);
        steps.runAll();
        assertThat(behind).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        assertThatThrownBy(() -> open.execute(task("late"))).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> waiting.execute(task("late"))).isInstanceOf(RejectedExecutionException.class);
    }

    // R7

    @Test
    @DisplayName("a reservation that is kept holds nothing of what its task was, of its queue and its thread")
    void memory() {
        StripedExecutor executor = builder().build();
        List<Reservation> kept = new ArrayList<>();
        List<WeakReference<Object>> payloads = new ArrayList<>();
        AtomicInteger count = new AtomicInteger();
        for (int i = 0; i < 1000; i++) {
            Reservation place = executor.reserve(i % 10);
            kept.add(place);
            payloads.add(useWithPayload(place, i, count));
        }
        steps.runAll();
        Reachability.assertCleared(payloads);
        assertThat(count).hasValue(500);
        assertThat(kept).noneMatch(Reservation::isOpen);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 500, 0, 0, 0));
    }

    private static WeakReference<Object> useWithPayload(Reservation place, int i, AtomicInteger count) {
        Object payload = new Object();
        if (i % 2 == 0) {
            place.submit(() -> {
                count.incrementAndGet();
                return CompletableFuture.completedFuture(payload).isDone();
            });
        } else {
            place.close();
        }
        return new WeakReference<>(payload);
    }

    @Test
    @DisplayName("a million places that are reserved and given back leave nothing behind, whatever their order")
    void aMillion() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(2).build()) {
            Runtime runtime = Runtime.getRuntime();
            long before = usedAfterCollection(runtime);
            List<Reservation> open = new ArrayList<>();
            for (int i = 0; i < 1_000_000; i++) {
                open.add(executor.reserve(i % 3 == 0 ? (Object) "one" : i));
                if (open.size() == 1000) {
                    for (int j = 0; j < 1000; j++) {
                        open.get((j * 7) % 1000).close();
                    }
                    open.clear();
                }
            }
            Patience.letWorkersFinish(executor, 2);
            assertThat(executor.inspect().reserved().count()).isZero();
            assertThat(usedAfterCollection(runtime) - before)
                    .as("bytes that are left of a million places")
                    .isLessThan(1_000_000);
            Patience.terminate(executor); // so the tasks that brought the workers together have ended, too
            assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
        }
    }

    private static long usedAfterCollection(Runtime runtime) {
        long used = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    // how long

    @Test
    @DisplayName("snapshots and figures say how long the oldest open place has been reserved")
    void ages() {
        AtomicLong now = new AtomicLong();
        HandTimer clock = new HandTimer(now::get);
        StripedExecutor striped =
                StripedExecutor.builder().executor(steps).platform(clock).build();
        assertThat(striped.inspect().reserved().oldestReservedAge()).isZero();
        Reservation oldest = striped.reserve("a");
        now.set(3);
        Reservation second = striped.reserve("a");
        Reservation other = striped.reserve("b");
        now.set(10);
        assertThat(striped.inspect().reserved().oldestReservedAge()).isEqualTo(Duration.ofNanos(10));
        assertThat(striped.inspect().deepestKeys(2))
                .containsExactly(
                        new KeySnapshot("a", 2, 2, Duration.ofNanos(10), 0, false, false),
                        new KeySnapshot("b", 1, 1, Duration.ofNanos(7), 0, false, false));
        oldest.execute(task("oldest"));
        assertThat(striped.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 1, Duration.ofNanos(7), 0, false, false));
        second.close();
        other.close();
        assertThat(striped.inspect().reserved().oldestReservedAge()).isZero();
        assertThat(striped.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 0, false, false));

        GroupedExecutor grouped =
                GroupedExecutor.builder().executor(steps).platform(clock).build();
        Reservation both = grouped.reserve(Groups.exclusive("a", "b"));
        now.set(15);
        Reservation one = grouped.reserve(Groups.shared("b"));
        now.set(16);
        assertThat(grouped.inspect().snapshot("b"))
                .contains(new KeySnapshot("b", 2, 2, Duration.ofNanos(6), 0, false, false));
        both.close();
        assertThat(grouped.inspect().reserved().oldestReservedAge()).isEqualTo(Duration.ofNanos(1));
        one.close();
        assertThat(grouped.inspect().reserved().oldestReservedAge()).isZero();
        steps.runAll();
        assertThat(ran).containsExactly("oldest");
    }
}
