package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
        for (int i = 0; i < 1000; i++) {
            executor.execute("alice", new Order("order " + i, processed));
        }

        executor.shutdown(); // nothing new is accepted, all that was accepted runs
        if (!executor.awaitTermination(5, TimeUnit.MILLISECONDS)) {
            List<Runnable> left = executor.shutdownNow(); // in the order of their stripes
            left.forEach(task -> save((Order) task));
        }

        assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(processed.size() + saved.size()).isEqualTo(1000);
    }

    private void save(Order order) {
        saved.add(order.text());
    }
}
