package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WhenBusyTest {
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    private boolean refresh(String client) {
        return done.add("refreshed " + client);
    }

    private boolean search(String text) {
        return done.add("searched " + text);
    }

    private void check(String client) {
        done.add("checked " + client);
    }

    @Test
    void aBusyKeyReplacesInterruptsAndSkips() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            executor.submit("alice", () -> busy.await(30, TimeUnit.SECONDS));
            executor.with(WhenBusy.latest("refresh")).submit("alice", () -> refresh("alice"));

            executor.with(WhenBusy.latest("refresh")).submit("alice", () -> refresh("alice"));
            executor.with(WhenBusy.interrupt("search")).submit("alice", () -> search("ord"));
            executor.with(WhenBusy.interrupt("search")).submit("alice", () -> search("order"));
            executor.with(WhenBusy.refuse()).execute("alice", () -> check("alice"));

            busy.countDown();
            executor.shutdown();
            assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(done).containsExactly("refreshed alice", "searched order");
            assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(2, 0, 1, 0, 0));
        }
    }

    private void insert(String client, List<Integer> amounts) {
        done.add("inserted " + amounts + " for " + client);
    }

    @Test
    void aBusyKeyCollects() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            executor.submit("alice", () -> busy.await(30, TimeUnit.SECONDS));
            Batcher<String, Integer> ledger = executor.<String, Integer>batchTo(this::insert)
                    .maxBatch(100)
                    .linger(Duration.ofMillis(5)) // optional: an idle key waits for more, too
                    .build();
            CompletableFuture<Void> booked = ledger.submit("alice", 40); // insert("alice", List.of(40, ...))
            ledger.submit("alice", 2);

            busy.countDown();
            booked.get(30, TimeUnit.SECONDS);
            assertThat(done).containsExactly("inserted [40, 2] for alice");
        }
    }
}
