package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One record that takes a minute, and one key that is parked, among many others. Not run by the build, since its name
 * does not end with Test or IT; {@code docs/maintainers/evidence.md} has the command.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OneKeyExample {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aRecordOfAMinute() throws Exception {
        String topic = Broker.topic(4);
        Broker.send(List.of(ledger.next(topic, "slow")));
        Broker.send(ledger.next(topic, 20_000, 1000));
        AtomicInteger starts = new AtomicInteger();
        List<String> rebalances = Collections.synchronizedList(new ArrayList<>());
        var container = containers.container(
                topic,
                topic,
                containers.executor(200),
                Map.of("max.poll.interval.ms", 10_000),
                record -> ledger.process(record, () -> {
                    starts.incrementAndGet();
                    sleep(record.key().equals("slow") ? 60_000 : 20);
                }));
        container.setSettings(Containers.with(2000, 3, Duration.ofSeconds(4)));
        container.getContainerProperties().setConsumerRebalanceListener(new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                rebalances.add("revoked " + partitions);
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
        });
        long began = System.nanoTime();
        container.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> ledger.count() == 20_000);
        double others = (System.nanoTime() - began) / 1e9;
        await().atMost(Duration.ofSeconds(90)).until(() -> ledger.count() == 20_001);
        assertThat(rebalances).isEmpty();
        ledger.assertExactlyOnce();
        assertThat(starts.get()).isEqualTo(20_001);
        assertThat(others).isLessThan(20);
        System.out.printf(
                "one record of 60 s, max.poll.interval.ms 10 s: the other 20000 records done after %.1f s,"
                        + " no rebalance, none repeated%n",
                others);
    }

    @Test
    void aParkedKey() throws Exception {
        String topic = Broker.topic(4);
        Broker.send(List.of(ledger.next(topic, "parked")));
        List<ProducerRecord<String, String>> others = ledger.next(topic, 100_000, 1000);
        Broker.send(others);
        AtomicInteger failures = new AtomicInteger();
        var first = containers.container(topic, topic, containers.executor(50), Map.of(), record -> {
            if (record.key().equals("parked")) {
                failures.incrementAndGet();
                throw new IllegalStateException("broken");
            }
            ledger.process(record, () -> {});
        });
        first.start();
        await().atMost(Duration.ofSeconds(90)).until(() -> ledger.count() == 100_000);
        await().atMost(Duration.ofSeconds(10)).until(() -> failures.get() == 3);
        first.stop();
        List<String> again = Collections.synchronizedList(new ArrayList<>());
        var second = containers.container(topic, topic, containers.executor(50), Map.of(), record -> {
            again.add(record.key());
            ledger.process(record, () -> {});
        });
        second.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> ledger.count() == 100_001);
        await().atMost(Duration.ofSeconds(10)).until(() -> committed(topic) == 100_001);
        assertThat(again).containsExactly("parked");
        ledger.assertExactlyOnce();
        System.out.println("one parked key, 100000 records of others, restart: only the parked one runs again");
    }

    private static long committed(String topic) throws Exception {
        long committed = 0;
        for (int partition = 0; partition < 4; partition++) {
            committed += Math.max(0, Broker.committed(topic, topic, partition));
        }
        return committed;
    }
}
