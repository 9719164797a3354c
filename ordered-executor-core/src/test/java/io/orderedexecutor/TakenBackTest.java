package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R4, R7, R12: what is cancelled or given back is out at once, in all its keys, and what stood behind it goes on. */
@Timeout(60)
class TakenBackTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final GroupedExecutor grouped =
            GroupedExecutor.builder().executor(stepped).build();
    private final List<String> ran = new ArrayList<>();

    /** Ways in which a place is taken back. */
    enum Way {
        CANCELLED {
            @Override
            Runnable enter(GroupedExecutor executor, Groups groups) {
                CompletableFuture<Integer> future = executor.submit(groups, () -> 1);
                return () -> assertThat(future.cancel(false)).isTrue();
            }
        },
        CANCELLED_ASYNCHRONOUS {
            @Override
            Runnable enter(GroupedExecutor executor, Groups groups) {
                CompletableFuture<Integer> future = executor.submitAsync(groups, CompletableFuture::new);
                return () -> assertThat(future.cancel(false)).isTrue();
            }
        },
        GIVEN_BACK {
            @Override
            Runnable enter(GroupedExecutor executor, Groups groups) {
                return executor.reserve(groups)::close;
            }
        },
        USED_AND_CANCELLED {
            @Override
            Runnable enter(GroupedExecutor executor, Groups groups) {
                CompletableFuture<Integer> future = executor.reserve(groups).submit(() -> 1);
                return () -> assertThat(future.cancel(false)).isTrue();
            }
        };

        /** Takes a place; what is returned takes it back. */
        abstract Runnable enter(GroupedExecutor executor, Groups groups);
    }

    /** Holds groups until the returned stage completes. */
    private CompletableFuture<Integer> hold(Groups groups) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        var unused = grouped.submitAsync(groups, () -> stage);
        stepped.runAll();
        return stage;
    }

    private void submit(Groups groups, String name) {
        grouped.execute(groups, () -> ran.add(name));
    }

    private void end() {
        stepped.runAll();
        assertThat(grouped.inspect().stats().keys()).isZero();
        assertThat(grouped.inspect().stats().queued()).isZero();
        grouped.shutdown();
        assertThat(grouped.isTerminated()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a place in two keys that is taken back while one of them is busy holds up the other no longer")
    void twoKeys(Way way) {
        CompletableFuture<Integer> busy = hold(Groups.exclusive("a"));
        Runnable takeBack = way.enter(grouped, Groups.exclusive("a", "b"));
        submit(Groups.exclusive("b"), "behind in b");
        submit(Groups.exclusive("a"), "behind in a");
        stepped.runAll();
        assertThat(ran).isEmpty();
        takeBack.run();
        stepped.runAll();
        assertThat(ran).containsExactly("behind in b");
        busy.complete(1);
        end();
        assertThat(ran).containsExactly("behind in b", "behind in a");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("readers behind a writer that is taken back join the readers before it, at once")
    void readersJoin(Way way) {
        CompletableFuture<Integer> reading = hold(Groups.shared("a"));
        Runnable takeBack = way.enter(grouped, Groups.exclusive("a"));
        submit(Groups.shared("a"), "reader");
        submit(Groups.shared("a"), "another reader");
        submit(Groups.exclusive("a"), "writer");
        submit(Groups.shared("a"), "reader behind the writer");
        stepped.runAll();
        assertThat(ran).isEmpty();
        takeBack.run();
        stepped.runAll();
        // readers do not conflict: either may be first
        assertThat(ran).containsExactlyInAnyOrder("reader", "another reader");
        reading.complete(1);
        end();
        assertThat(ran).hasSize(4).endsWith("writer", "reader behind the writer");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a reader that is taken back, first, last or between others, lets the writer wait for the others only")
    void amongReaders(Way way) {
        CompletableFuture<Integer> writing = hold(Groups.exclusive("a"));
        List<Runnable> readers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            readers.add(way.enter(grouped, Groups.shared("a")));
        }
        submit(Groups.shared("a"), "reader");
        submit(Groups.exclusive("a"), "writer");
        readers.get(0).run();
        readers.get(4).run();
        readers.get(2).run();
        writing.complete(1);
        stepped.runAll();
        if (way == Way.GIVEN_BACK || way == Way.CANCELLED_ASYNCHRONOUS) {
            // the other two hold the group still: an open place, and a stage that is not complete
            assertThat(ran).containsExactly("reader");
            readers.get(1).run();
            stepped.runAll();
            assertThat(ran).containsExactly("reader");
            readers.get(3).run();
        }
        end();
        assertThat(ran).containsExactly("reader", "writer");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a barrier that is taken back, waiting or as the first, holds up nothing")
    void barrier(Way way) {
        CompletableFuture<Integer> busy = hold(Groups.exclusive("a"));
        Runnable waiting = way.enter(grouped, Groups.all());
        submit(Groups.exclusive("b"), "behind the barrier");
        stepped.runAll();
        assertThat(ran).isEmpty();
        waiting.run();
        stepped.runAll();
        assertThat(ran).containsExactly("behind the barrier");
        busy.complete(1);
        end();
    }

    @Test
    @DisplayName("an open reservation of a barrier holds up all keys when its turn has come, until it is given back")
    void barrierInItsTurn() {
        Reservation barrier = grouped.reserve(Groups.all());
        submit(Groups.exclusive("a"), "a");
        submit(Groups.shared("b"), "b");
        stepped.runAll();
        assertThat(ran).isEmpty();
        barrier.close();
        end();
        assertThat(ran).containsExactlyInAnyOrder("a", "b");
    }

    /** The order in which many places are taken back. */
    enum Order {
        FORWARD,
        BACKWARD,
        RANDOM;

        void arrange(List<?> places) {
            if (this == BACKWARD) {
                Collections.reverse(places);
            } else if (this == RANDOM) {
                Collections.shuffle(places, new Random(1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("20,000 reservations of rollups, each behind the one before it, are given back without a deep stack")
    void manyRollups(Order order) {
        int places = 20_000;
        List<Reservation> reservations = new ArrayList<>();
        for (int i = 0; i < places; i++) {
            reservations.add(grouped.reserve(Groups.exclusive(i, i + 1)));
            grouped.execute(Groups.exclusive(i), () -> ran.add("between"));
        }
        stepped.runAll();
        assertThat(ran).isEmpty();
        order.arrange(reservations);
        reservations.forEach(Reservation::close);
        end();
        assertThat(ran).hasSize(places);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("20,000 cancelled tasks behind an open place end with it, in one turn or many, and the last one runs")
    void manyCancelledBehindAPlace(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        Reservation first = tasks.reserve("a");
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            futures.add(tasks.submit("a", () -> 1));
        }
        tasks.execute("a", () -> ran.add("last"));
        assertThat(futures).allMatch(future -> future.cancel(false));
        assertThat(tasks.executor().inspect().stats().queued()).isEqualTo(2);
        first.close();
        stepped.runAll();
        assertThat(ran).containsExactly("last");
        assertThat(tasks.openKeys()).isZero();
        Patience.terminate(tasks.executor());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("10,000 open places of one key that are given back in any order end without a deep stack")
    void manyPlaces(KeyedTasks.Kind kind) {
        for (Order order : Order.values()) {
            KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
            List<Reservation> places = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                places.add(tasks.reserve("a"));
            }
            tasks.execute("a", () -> ran.add("last " + order));
            order.arrange(places);
            places.forEach(Reservation::close);
            stepped.runAll();
            assertThat(ran).last().isEqualTo("last " + order);
            Patience.terminate(tasks.executor());
        }
        assertThat(ran).hasSize(Order.values().length);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a future that is kept keeps none of those that were submitted behind it, ended or cancelled")
    void keptFuture(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        CompletableFuture<Integer> kept = tasks.submit("a", () -> 0);
        CompletableFuture<Integer> keptCancelled = tasks.submit("a", () -> 0);
        List<WeakReference<?>> others = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Integer> future = tasks.submit("a", () -> 1);
            if (i % 3 == 0) {
                future.cancel(false);
            }
            others.add(new WeakReference<>(future));
        }
        keptCancelled.cancel(false);
        CompletableFuture<Integer> open = new CompletableFuture<>();
        // the key stays busy, so that its order does not end with them
        CompletableFuture<Integer> last = tasks.submitAsync("a", () -> open);
        stepped.runAll();
        Reachability.assertCleared(others);
        assertThat(kept).isCompletedWithValue(0);
        assertThat(keptCancelled).isCancelled();
        open.complete(1);
        stepped.runAll();
        assertThat(last).isCompletedWithValue(1);
        Patience.terminate(tasks.executor());
    }

    @Test
    @DisplayName("a future of a rollup that is kept keeps none of those that were submitted behind it in its groups")
    void keptRollup() {
        CompletableFuture<Integer> kept = grouped.submit(Groups.exclusive("a").andShared("b"), () -> 0);
        CompletableFuture<Integer> keptCancelled = grouped.submit(Groups.exclusive("a", "b"), () -> 0);
        List<WeakReference<?>> others = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Groups groups =
                    i % 2 == 0 ? Groups.shared("a", "b") : Groups.exclusive("a").andShared("b");
            CompletableFuture<Integer> future = grouped.submit(groups, () -> 1);
            if (i % 3 == 0) {
                future.cancel(false);
            }
            others.add(new WeakReference<>(future));
        }
        keptCancelled.cancel(false);
        CompletableFuture<Integer> open = new CompletableFuture<>();
        CompletableFuture<Integer> last = grouped.submitAsync(Groups.exclusive("a", "b"), () -> open);
        stepped.runAll();
        Reachability.assertCleared(others);
        assertThat(kept).isCompletedWithValue(0);
        assertThat(keptCancelled).isCancelled();
        open.complete(1);
        end();
        assertThat(last).isCompletedWithValue(1);
    }

    private static long usedMemory() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("100,000 tasks that were cancelled behind one that runs hold less than 4 MB")
    void cancelledTasksHoldNothing(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        CompletableFuture<Integer> open = new CompletableFuture<>();
        CompletableFuture<Integer> busy = tasks.submitAsync("a", () -> open);
        stepped.runAll();
        long before = usedMemory();
        for (int i = 0; i < 100_000; i++) {
            assertThat(tasks.submit("a", () -> 1).cancel(false)).isTrue();
        }
        assertThat(usedMemory() - before).as("bytes").isLessThan(4_000_000);
        open.complete(1);
        stepped.runAll();
        assertThat(busy).isCompletedWithValue(1);
        assertThat(tasks.openKeys()).isZero();
    }

    @Test
    @DisplayName("300,000 readers of which there is always one hold less than 4 MB")
    void overlappingReadersHoldNothing() {
        long before = usedMemory();
        CompletableFuture<Integer> oldest = hold(Groups.shared("a"));
        CompletableFuture<Integer> current = oldest;
        for (int i = 0; i < 300_000; i++) {
            CompletableFuture<Integer> next = hold(Groups.shared("a"));
            if (current != oldest) {
                current.complete(1);
            }
            current = next;
        }
        assertThat(usedMemory() - before).as("bytes").isLessThan(4_000_000);
        current.complete(1);
        oldest.complete(1);
        end();
    }

    @Test
    @DisplayName("waves of readers that are cancelled while the only thread is busy keep no key that is over")
    void cancelledWavesKeepNoKey() throws InterruptedException {
        GroupedExecutor busy = GroupedExecutor.builder().threads(1).build();
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        busy.execute(Groups.exclusive("busy"), () -> {
            begun.countDown();
            Patience.await(go);
        });
        Patience.await(begun);
        List<WeakReference<Object>> keys = new ArrayList<>();
        AtomicInteger late = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            Object key = new Object();
            keys.add(new WeakReference<>(key));
            List<CompletableFuture<Integer>> readers = new ArrayList<>();
            try (Reservation writer = busy.reserve(Groups.exclusive(key))) {
                assertThat(writer.isOpen()).isTrue();
                for (int reader = 0; reader < 40; reader++) {
                    readers.add(busy.submit(Groups.shared(key), late::incrementAndGet));
                }
            }
            readers.forEach(reader -> reader.cancel(false));
        }
        // what is over is swept when it is more than what is not, and a few
        Reachability.assertClearedBut(200, keys);
        go.countDown();
        Patience.terminate(busy);
        assertThat(late).hasValue(0);
    }
}
