package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.stats.WhenBusyStats;
import java.util.Queue;
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
            executor.submit("alice", () -> busy.await(10, TimeUnit.SECONDS));
            executor.submit("alice", () -> refresh("alice"), WhenBusy.latest("refresh"));

            executor.submit("alice", () -> refresh("alice"), WhenBusy.latest("refresh"));
            executor.submit("alice", () -> search("ord"), WhenBusy.interrupt("search"));
            executor.submit("alice", () -> search("order"), WhenBusy.interrupt("search"));
            executor.execute("alice", () -> check("alice"), WhenBusy.skip());

            busy.countDown();
            executor.shutdown();
            assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
            assertThat(done).containsExactly("refreshed alice", "searched order");
            assertThat(executor.whenBusyStats()).isEqualTo(new WhenBusyStats(2, 0, 1, 0, 0));
        }
    }
}
