package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.test.SteppedExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Listeners in tests: records that run when the test says so, and records on the consumer's own thread. */
@Tag("no-second-try")
class SteppedRecordsIT {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    @Test
    void recordsRunStepByStep() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 4, 2));
        SteppedExecutor stepped = new SteppedExecutor();
        try (StripedExecutor executor =
                stepped.configure(StripedExecutor.builder()).build()) {
            var container =
                    containers.container(topic, topic, executor, Map.of(), record -> ledger.process(record, () -> {}));
            container.start();
            // the first record of each key
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> container.partitions().stream().anyMatch(each -> each.unsettled() == 4));
            assertThat(stepped.pending()).isEqualTo(2);
            assertThat(ledger.count()).isZero();
            stepped.runNext();
            assertThat(ledger.of("key-0")).containsExactly(0);
            assertThat(ledger.of("key-1")).isEmpty();
            stepped.runAll();
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 0) == 4);
            ledger.assertExactlyOnce();
            container.stop();
        }
    }

    @Test
    void recordsRunOnTheConsumersThread() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 100, 5));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        SteppedExecutor released = SteppedExecutor.onCallingThread();
        released.release();
        try (StripedExecutor executor =
                released.configure(StripedExecutor.builder()).build()) {
            var container = containers.container(
                    topic,
                    topic,
                    executor,
                    Map.of(),
                    record -> ledger.process(record, () -> {
                        threads.add(Thread.currentThread().getName());
                    }));
            container.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 0) == 100);
            container.stop();
        }
        ledger.assertExactlyOnce();
        assertThat(threads).containsExactly(topic + "-0-C-1");
    }
}
