package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which task waits for which, and for no other. */
class GroupedOrderTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();
    private final List<String> ran = new ArrayList<>();

    private CompletableFuture<Void> hold(Groups groups, String name) {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        executor.submitAsync(groups, () -> {
            ran.add(name);
            return stage;
        });
        return stage;
    }

    private void task(Groups groups, String name) {
        executor.execute(groups, () -> ran.add(name));
    }

    private List<String> run() {
        ran.clear();
        steps.runAll();
        return List.copyOf(ran);
    }

    @Test
    @DisplayName("a rollup waits for all of its groups, holds up tasks of these, and no others")
    void rollup() {
        CompletableFuture<Void> a = hold(Groups.exclusive("a"), "a1");
        CompletableFuture<Void> b = hold(Groups.exclusive("b"), "b1");
        CompletableFuture<Void> rollup = hold(Groups.exclusive("b", "a"), "ab");
        task(Groups.exclusive("a"), "a2");
        task(Groups.exclusive("b"), "b2");
        task(Groups.exclusive("c"), "c1");
        assertThat(run()).containsExactly("a1", "b1", "c1");
        a.complete(null);
        assertThat(run()).isEmpty();
        b.complete(null);
        assertThat(run()).containsExactly("ab");
        rollup.complete(null);
        assertThat(run()).containsExactlyInAnyOrder("a2", "b2");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 6, 0, 0, 0));
    }

    @Test
    @DisplayName("shared tasks run concurrently; a writer waits for the readers before it, and the readers "
            + "behind it for the writer")
    void shared() {
        CompletableFuture<Void> r1 = hold(Groups.shared("a"), "r1");
        CompletableFuture<Void> r2 = hold(Groups.shared("a"), "r2");
        CompletableFuture<Void> w = hold(Groups.exclusive("a"), "w");
        task(Groups.shared("a"), "r3");
        task(Groups.shared("a"), "r4");
        assertThat(run()).containsExactly("r1", "r2");
        r2.complete(null);
        assertThat(run()).isEmpty();
        r1.complete(null);
        assertThat(run()).containsExactly("w");
        w.complete(null);
        assertThat(run()).containsExactly("r3", "r4");
    }

    @Test
    @DisplayName("a barrier runs alone")
    void barrier() {
        CompletableFuture<Void> a = hold(Groups.exclusive("a"), "a");
        CompletableFuture<Void> s = hold(Groups.shared("s"), "s");
        CompletableFuture<Void> all = hold(Groups.all(), "all");
        task(Groups.exclusive("x"), "x");
        task(Groups.shared("s"), "s2");
        executor.asExecutorService().execute(() -> ran.add("plain"));
        assertThat(run()).containsExactly("a", "s");
        a.complete(null);
        assertThat(run()).isEmpty();
        s.complete(null);
        assertThat(run()).containsExactly("all");
        all.complete(null);
        assertThat(run()).containsExactlyInAnyOrder("x", "s2", "plain");
    }

    @Test
    @DisplayName("a tenant excludes its accounts, which do not exclude each other")
    void paths() {
        CompletableFuture<Void> one = hold(Groups.within("acme", 1), "1");
        CompletableFuture<Void> two = hold(Groups.within("acme", 2), "2");
        CompletableFuture<Void> tenant = hold(Groups.exclusive("acme"), "acme");
        task(Groups.shared("acme", Key.of("acme", 3)), "3");
        task(Groups.exclusive("other"), "other");
        assertThat(run()).containsExactly("1", "2", "other");
        one.complete(null);
        two.complete(null);
        assertThat(run()).containsExactly("acme");
        tenant.complete(null);
        assertThat(run()).containsExactly("3");
    }

    @Test
    @DisplayName("who only shares a group is not in the way of what changes within it; who has it exclusively is")
    void readersBelow() {
        CompletableFuture<Void> tenant = hold(Groups.shared("acme"), "read acme");
        CompletableFuture<Void> one = hold(Groups.shared("acme", Key.of("acme", 1)), "read 1");
        task(Groups.within("acme", 2), "write 2");
        task(Groups.exclusive("acme"), "write acme");
        assertThat(run()).containsExactly("read acme", "read 1", "write 2");
        tenant.complete(null);
        assertThat(run()).isEmpty();
        one.complete(null);
        assertThat(run()).containsExactly("write acme");
    }

    @Test
    @DisplayName("a cancelled rollup lets go at once what waits for it alone")
    void cancelledRollup() {
        CompletableFuture<Void> a = hold(Groups.exclusive("a"), "a1");
        CompletableFuture<Integer> rollup = executor.submit(Groups.exclusive("a", "b"), () -> 1);
        task(Groups.exclusive("b"), "b2");
        task(Groups.exclusive("a"), "a2");
        assertThat(run()).containsExactly("a1");
        rollup.cancel(false);
        assertThat(run()).containsExactly("b2");
        a.complete(null);
        assertThat(run()).containsExactly("a2");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 1, 0));
    }

    private final class Numbered implements OrderedTask {
        final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            return (((Numbered) that).number + number) % 2 != 0;
        }

        @Override
        public void run() {
            ran.add("task " + number);
        }
    }

    @Test
    @DisplayName("tasks that are not compatible run in order of submission")
    void compatibility() {
        CompletableFuture<Void> all = hold(Groups.all(), "all");
        for (int i = 1; i <= 4; i++) {
            executor.execute(new Numbered(i));
        }
        assertThat(run()).containsExactly("all");
        all.complete(null);
        assertThat(run()).hasSize(4).containsSubsequence("task 1", "task 3").containsSubsequence("task 2", "task 4");
    }

    /**
     * A key whose {@code equals} expects its like. Its hash is that of the group in which tasks without a class are
     * kept.
     */
    private static final class Careless {
        @Override
        @SuppressWarnings("EqualsUnsafeCast") // that is the point
        public boolean equals(Object other) {
            return ((Careless) other) == this;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    @Test
    @DisplayName("an application's key meets the application's keys only")
    void keysOfOurOwn() {
        executor.execute(new Numbered(1));
        Careless careless = new Careless();
        task(Groups.exclusive(careless), "first");
        task(Groups.exclusive(careless), "second");
        assertThat(run()).containsExactlyInAnyOrder("task 1", "first", "second").containsSubsequence("first", "second");
    }

    @Test
    @DisplayName("all groups wait for each task before them, whatever is cancelled behind them")
    void cancelledBehindABarrier() {
        // all of one hash
        Careless a = new Careless();
        Careless b = new Careless();
        Careless c = new Careless();
        CompletableFuture<Void> held = hold(Groups.exclusive(a), "before");
        CompletableFuture<?> cancelled =
                executor.submit(Groups.allShared().andExclusive(b, c), () -> ran.add("cancelled"));
        task(Groups.all(), "all");
        CompletableFuture<?> alsoCancelled =
                executor.submit(Groups.allShared().andExclusive(b, c), () -> ran.add("cancelled"));
        task(Groups.exclusive(c), "behind");
        assertThat(run()).containsExactly("before");
        assertThat(alsoCancelled.cancel(false)).isTrue();
        assertThat(run()).isEmpty();
        assertThat(cancelled.cancel(false)).isTrue();
        assertThat(run()).isEmpty();
        held.complete(null);
        assertThat(run()).containsExactly("all", "behind");
    }

    @Test
    @DisplayName("100,000 tasks of 100 groups and rollups among them run once, on threads")
    void load() throws InterruptedException {
        try (GroupedExecutor threaded = GroupedExecutor.builder().threads(2).build()) {
            int[] counts = new int[100];
            CountDownLatch done = new CountDownLatch(100_000);
            for (int i = 0; i < 100_000; i++) {
                int first = i % 100;
                int second = i % 10 == 0 ? (i / 7) % 100 : first;
                threaded.execute(Groups.exclusive(first, second), () -> {
                    counts[first]++;
                    if (first != second) {
                        counts[second]++;
                    }
                    done.countDown();
                });
            }
            Patience.await(done);
            assertThat(counts).doesNotContain(0);
        }
    }
}
