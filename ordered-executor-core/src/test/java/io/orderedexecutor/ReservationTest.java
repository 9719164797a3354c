package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardWords;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R12: what runs in a reserved place runs as if it had been submitted when the place was reserved. */
class ReservationTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().name("orders").executor(steps).build();
    private final GroupedExecutor grouped =
            GroupedExecutor.builder().name("transfers").executor(steps).build();
    private final List<String> ran = new ArrayList<>();

    private Runnable task(String name) {
        return () -> ran.add(name);
    }

    @Test
    @DisplayName("a place that is used before its turn is an ordinary task there")
    void usedBeforeItsTurn() {
        executor.execute("a", task("first"));
        Reservation place = executor.reserve("a");
        executor.execute("a", task("third"));
        place.execute(task("second"));
        steps.runAll();
        assertThat(ran).containsExactly("first", "second", "third");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("a place whose turn comes before its task holds up what is behind it, and nothing else")
    void holdsUpWhatIsBehindIt() {
        Reservation place = executor.reserve("a");
        executor.execute("a", task("behind"));
        executor.execute("b", task("other"));
        steps.runAll();
        assertThat(ran).containsExactly("other");
        assertThat(executor.inspect().snapshot("a"))
                .get()
                .extracting("queued", "reserved", "active")
                .containsExactly(2L, 1L, 0L);
        place.execute(task("reserved"));
        assertThat(ran).as("it does not run on the thread that uses the place").containsExactly("other");
        steps.runAll();
        assertThat(ran).containsExactly("other", "reserved", "behind");
        assertThat(executor.inspect().snapshot("a")).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("a place that is given back holds nothing up, before its turn and in it, and is no cancelled task")
    void givenBack() {
        Reservation first = executor.reserve("a");
        Reservation second = executor.reserve("a");
        executor.execute("a", task("behind"));
        second.close();
        steps.runAll();
        assertThat(ran).isEmpty();
        first.close();
        first.close();
        steps.runAll();
        assertThat(ran).containsExactly("behind");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
        assertThat(executor.inspect().reserved().count()).isZero();
    }

    @Test
    @DisplayName("it is used once; what comes afterwards is told why it is not accepted, and harms nothing")
    void usedOnce() {
        Reservation used = executor.reserve("a");
        assertThat(used.isOpen()).isTrue();
        used.execute(task("used"));
        assertThat(used.isOpen()).isFalse();
        assertThatThrownBy(() -> used.execute(task("again")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the reservation for a in striped executor 'orders' was used before, so this task is not "
                        + "accepted; reserve a place for each task");
        used.close();
        Reservation returned = executor.reserve("a");
        returned.close();
        assertThatThrownBy(() -> returned.submit(() -> ran.add("late")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was given back before");
        steps.runAll();
        assertThatThrownBy(() -> used.submitAsync(() -> CompletableFuture.completedFuture(ran.add("late"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was used before");
        assertThat(ran).containsExactly("used");
    }

    @Test
    @DisplayName("null is refused by name, and the place can still be used")
    @SuppressWarnings("NullAway") // on purpose
    void nullArguments() {
        assertThatThrownBy(() -> executor.reserve(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("stripe");
        assertThatThrownBy(() -> grouped.reserve(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("groups");
        assertThatThrownBy(() -> executor.with((Overflow) null).reserve("a"))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("overflow");
        Reservation place = executor.reserve("a");
        assertThatThrownBy(() -> place.execute(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        assertThatThrownBy(() -> place.submit(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        assertThatThrownBy(() -> place.submitAsync(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        place.execute(task("used"));
        steps.runAll();
        assertThat(ran).containsExactly("used");
    }

    @Test
    @DisplayName("the futures of its tasks are as those of any submission: result, failure, cancellation")
    void futures() {
        CompletableFuture<String> result = executor.reserve("a").submit(() -> "result");
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> async = executor.reserve("a").submitAsync(() -> stage);
        Future<Boolean> cancelled = executor.reserve("a").submit(() -> ran.add("cancelled"));
        Future<Object> failing = executor.reserve("a").submit(() -> {
            throw new IllegalArgumentException("on purpose");
        });
        steps.runAll();
        assertThat(result).isCompletedWithValue("result");
        assertThat(async).isNotDone();
        assertThat(cancelled.cancel(true)).isTrue();
        stage.complete("staged");
        steps.runAll();
        assertThat(async).isCompletedWithValue("staged");
        assertThatThrownBy(failing::get).hasRootCauseMessage("on purpose");
        assertThat(ran).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 1, 0));
    }

    @Test
    @DisplayName("what execute throws there goes to the uncaught exception handler")
    void failureOfExecute() {
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, failure) -> uncaught.set(failure));
        try {
            executor.reserve("a").execute(() -> {
                throw new IllegalArgumentException("on purpose");
            });
            steps.runAll();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        assertThat(uncaught.get()).hasMessage("on purpose");
    }

    @Test
    @DisplayName("a task in a reserved place is retried and parks its stripe like any other")
    void failurePolicy() {
        StripedExecutor parking = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.park())
                .build();
        Reservation place = parking.reserve("a");
        parking.execute("a", task("behind"));
        steps.runAll();
        Future<String> future = place.submit(() -> {
            ran.add("attempt");
            if (ran.size() == 1) {
                throw new IllegalArgumentException("on purpose");
            }
            return "at last";
        });
        steps.runAll();
        assertThat(parking.inspect().parkedTasks()).hasSize(1);
        assertThat(parking.control().resume("a")).isTrue();
        steps.runAll();
        assertThat(future).satisfies(done -> assertThat(done.get()).isEqualTo("at last"));
        assertThat(ran).containsExactly("attempt", "attempt", "behind");
    }

    @Test
    @DisplayName("a pause holds a task in a reserved place, and a resume does not release an open one")
    void pause() {
        Reservation place = executor.reserve("a");
        steps.runAll();
        executor.control().pause("a");
        executor.control().resume("a");
        steps.runAll();
        executor.control().pause("a");
        place.execute(task("reserved"));
        steps.runAll();
        assertThat(ran).isEmpty();
        executor.control().resume("a");
        steps.runAll();
        assertThat(ran).containsExactly("reserved");
    }

    @Test
    @DisplayName("it is used by any thread, and runs if the executor underneath refuses")
    void refusedUnderneath() throws Exception {
        Reservation place = executor.reserve("a");
        steps.runAll();
        steps.refuse(true);
        CompletableFuture<Thread> user = place.submit(() -> {
            task("by the helper").run();
            return Thread.currentThread();
        });
        assertThat(Patience.get(user)).isNotSameAs(Thread.currentThread());
        assertThat(ran).containsExactly("by the helper");
        Reservation needsNoThread = executor.reserve("b");
        needsNoThread.close();
        assertThat(executor.inspect().reserved().count()).isZero();
        steps.refuse(false);
        // the future of a task is complete before it has left its key
        assertThat(executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
    }

    @Test
    @DisplayName("an open place shows in figures, snapshots and the deepest stripes")
    void observation() {
        Reservation first = executor.reserve("a");
        Reservation second = executor.reserve("a");
        executor.execute("a", task("behind"));
        steps.runAll();
        assertThat(executor.inspect().reserved().count()).isEqualTo(2);
        assertThat(executor.inspect().deepestKeys(3))
                .singleElement()
                .extracting("queued", "reserved", "active")
                .containsExactly(3L, 2L, 0L);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 3, 3, 0, 0, 0, 0, 0, 0));
        first.execute(task("first"));
        assertThat(executor.inspect().reserved().count()).isEqualTo(1);
        assertThat(executor.inspect().snapshot("a"))
                .get()
                .extracting("queued", "reserved", "active")
                .containsExactly(3L, 1L, 0L);
        second.close();
        steps.runAll();
        assertThat(executor.inspect().reserved().count()).isZero();
        assertThat(ran).containsExactly("first", "behind");
    }

    @Test
    @DisplayName("the listener hears of a task when it comes, of a place that finds no room, and of no other")
    void listener() {
        List<String> heard = new ArrayList<>();
        StripedExecutor full = StripedExecutor.builder()
                .name("full")
                .executor(steps)
                .capacity(1)
                .listener(new HeardWords(heard))
                .build();
        full.reserve("a").close();
        Reservation place = full.reserve("a");
        steps.runAll();
        assertThatThrownBy(() -> full.reserve("b")).hasMessageContaining("its capacity is 1");
        assertThat(heard).containsExactly("rejected the reservation for b in striped executor 'full'");
        place.execute(new Runnable() {
            @Override
            public void run() {
                ran.add("task");
            }

            @Override
            public String toString() {
                return "task";
            }
        });
        steps.runAll();
        assertThat(heard.subList(1, 4)).containsExactly("queued task", "started task", "finished task");
        assertThat(heard).hasSize(4);
    }

    // groups

    @Test
    @DisplayName("a place in several groups holds up what has one of them, in its order, and nothing else")
    void groups() {
        Reservation place = grouped.reserve(Groups.exclusive("a", "b"));
        grouped.execute(Groups.exclusive("a"), task("a"));
        grouped.execute(Groups.shared("b"), task("b"));
        grouped.execute(Groups.exclusive("c"), task("c"));
        Reservation all = grouped.reserve(Groups.all());
        grouped.execute(Groups.exclusive("c"), task("after all"));
        steps.runAll();
        assertThat(ran).containsExactly("c");
        assertThat(grouped.inspect().snapshot("a")).hasValueSatisfying(group -> {
            assertThat(group.queued()).isEqualTo(2);
            assertThat(group.reserved()).isEqualTo(1);
        });
        assertThat(grouped.inspect().reserved().count()).isEqualTo(2);
        place.execute(task("place"));
        steps.runAll();
        assertThat(ran.subList(0, 2)).containsExactly("c", "place");
        assertThat(ran.subList(2, 4)).containsExactlyInAnyOrder("a", "b");
        all.close();
        steps.runAll();
        assertThat(ran.get(4)).isEqualTo("after all");
        assertThat(grouped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 5, 0, 0, 0));
        assertThat(grouped.inspect().deepestKeys(9)).isEmpty();
    }

    @Test
    @DisplayName("places and tasks of one group take turns within one strand")
    void oneGroup() {
        grouped.execute(Groups.exclusive("a"), task("1"));
        Reservation second = grouped.reserve(Groups.exclusive("a"));
        grouped.execute(Groups.exclusive("a"), task("3"));
        Reservation fourth = grouped.reserve(Groups.exclusive("a"));
        grouped.execute(Groups.exclusive("a"), task("5"));
        steps.runAll();
        assertThat(ran).containsExactly("1");
        fourth.close();
        second.submit(() -> ran.add("2"));
        steps.runAll();
        assertThat(ran).containsExactly("1", "2", "3", "5");
        assertThat(grouped.inspect().reserved().count()).isZero();
    }

    // self-waits

    @Test
    @DisplayName("who waits for a task behind a place of its own is told so, and not after it is used")
    void selfWait() {
        Reservation place = executor.reserve("alice");
        Future<Boolean> behind = executor.submit("alice", () -> ran.add("behind"));
        steps.runAll();
        assertThatThrownBy(behind::get)
                .isInstanceOf(SelfWaitException.class)
                .hasMessageContaining(
                        "of key alice of striped executor 'orders', which is behind a place that is reserved by "
                                + "thread " + Thread.currentThread().getName())
                .hasMessageContaining("Use or close a reservation before you wait")
                .hasMessageNotContaining("Do not wait inside a task");
        Future<Boolean> other = executor.submit("bob", () -> ran.add("other"));
        steps.runAll();
        assertThatCode(other::get).doesNotThrowAnyException();
        place.close();
        steps.runAll();
        assertThat(Patience.get(behind)).isTrue();
        assertThat(ran).containsExactly("other", "behind");
    }

    @Test
    @DisplayName("a wait is no self-wait if the place is behind the task, or another thread has reserved it")
    void noSelfWait() throws InterruptedException {
        try (StripedExecutor threads =
                StripedExecutor.builder().name("threads").threads(2).build()) {
            Future<Boolean> before = threads.submit("a", () -> ran.add("before"));
            Reservation place = threads.reserve("a");
            assertThat(Patience.get(before)).isTrue();
            place.close();
            AtomicReference<Reservation> ofOther = new AtomicReference<>();
            Thread other = new Thread(() -> ofOther.set(threads.reserve("a")));
            other.start();
            other.join();
            Future<Boolean> behind = threads.submit("a", () -> ran.add("behind"));
            Thread user = new Thread(() -> ofOther.get().execute(task("reserved")));
            user.start();
            assertThat(Patience.get(behind)).isTrue();
            user.join();
        }
        assertThat(ran).containsExactly("before", "reserved", "behind");
    }

    @Test
    @DisplayName("a thread that waits for a task which waits for one behind that thread's place is told so")
    void selfWaitByOthers() {
        try (GroupedExecutor threads =
                GroupedExecutor.builder().name("threads").threads(2).build()) {
            Reservation place = threads.reserve(Groups.exclusive("a", "b"));
            CompletableFuture<Boolean> behind = threads.submit(Groups.exclusive("b", "c"), () -> ran.add("behind"));
            CompletableFuture<Thread> waiting = new CompletableFuture<>();
            Future<Boolean> waits = threads.submit(Groups.exclusive("d"), () -> {
                waiting.complete(Thread.currentThread());
                return behind.get();
            });
            Patience.awaitParked(Patience.get(waiting));
            assertThatThrownBy(waits::get)
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("which is served by thread")
                    .hasMessageContaining("Do not wait inside a task")
                    .hasMessageContaining("which is behind a place that is reserved by thread "
                            + Thread.currentThread().getName());
            place.close();
            assertThat(Patience.get(waits)).isTrue();
        }
        assertThat(ran).containsExactly("behind");
    }
}
