package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShutdownTest {
    private final Queue<String> processed = new ConcurrentLinkedQueue<>();
    private final Queue<String> saved = new ConcurrentLinkedQueue<>();

    private record Order(String text, Queue<String> processed) implements Runnable {
        @Override
        public void run() {
            processed.add(text);
        }
    }

    @Test
    void whatDidNotRunComesBackAsItWasSubmitted() throws Exception {
        StripedExecutor executor = StripedExecutor.builder().threads(4).build();
        CountDownLatch started = new CountDownLatch(1);
        executor.execute("alice", () -> {
            started.countDown();
            untilInterrupted();
        });
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        int seconds = 0; // the time is over at once, with the first task still running
        for (int i = 0; i < 1000; i++) {
            executor.execute("alice", new Order("order " + i, processed));
        }

        executor.shutdown(); // nothing new is accepted, all that was accepted runs
        if (!executor.awaitTermination(seconds, TimeUnit.SECONDS)) {
            List<Runnable> left = executor.shutdownNow(); // what has not started, each stripe in its order
            left.forEach(task -> save((Order) task));
        }

        assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(processed).isEmpty();
        assertThat(saved).hasSize(1000).startsWith("order 0", "order 1").endsWith("order 999");
    }

    private static void untilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void save(Order order) {
        saved.add(order.text());
    }
}
