package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.TopicPartitionOffset;

/** Topics that are written in transactions, and partitions that are assigned by hand. */
class TopicsIT {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    /**
     * Markers of transactions, and what was aborted, are offsets that no listener sees: no lag may stay behind them.
     */
    @Test
    void transactionsLeaveNoLag() throws Exception {
        String topic = Broker.topic(1);
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Broker.servers());
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic);
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties)) {
            producer.initTransactions();
            for (int i = 0; i < 5; i++) {
                producer.beginTransaction();
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (ProducerRecord<String, String> each : ledger.next(topic, 20, 4)) {
                    sent.add(producer.send(each));
                }
                producer.commitTransaction();
                assertThat(sent).allMatch(Future::isDone);
                abort(producer, topic);
            }
            var container = containers.container(
                    topic,
                    topic,
                    containers.executor(4),
                    Map.of("isolation.level", "read_committed"),
                    record -> ledger.process(record, () -> {}));
            container.start();
            // 100 records, 5 that were aborted, 10 markers
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 0) == 115);
            // polls that bring no record, and move the position
            abort(producer, topic);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 0) == 117);
        }
        ledger.assertExactlyOnce();
        assertThat(ledger.of("aborted")).isEmpty();
    }

    /** Spring would commit the position before each poll, which is beyond the records that still run. */
    @Test
    void positionsAreNotCommittedThoughTheContainerIsToFixOffsets() throws Exception {
        String topic = Broker.topic(1);
        CountDownLatch release = new CountDownLatch(1);
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(topic);
        properties.setFixTxOffsets(true);
        var container = containers.container(
                topic,
                properties,
                containers.executor(4),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.key().equals("slow")) {
                        Containers.await(release);
                    }
                }));
        // no other commit until the stop
        container.setSettings(Containers.QUICK.withCommitInterval(Duration.ofHours(1)));
        // Spring goes on from a commit
        Broker.admin()
                .alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0)))
                .all()
                .get(30, TimeUnit.SECONDS);
        container.start();
        try {
            Broker.send(List.of(ledger.next(topic, "slow")));
            Broker.send(ledger.next(topic, 20, 4));
            await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 20);
            // when these records run, the consumer has polled again, and has committed what Spring commits before that
            Broker.send(ledger.next(topic, 20, 4));
            await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 40);
            assertThat(Broker.committed(topic, topic, 0)).isZero();
        } finally {
            release.countDown();
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 41);
        container.stop();
        assertThat(Broker.committed(topic, topic, 0)).isEqualTo(41);
        ledger.assertExactlyOnce();
    }

    @Test
    void theContainerMakesPollsShortEnoughForItsCommits() throws Exception {
        String topic = Broker.topic(1);
        var container = containers.container(topic, topic, containers.executor(1), Map.of(), record -> {});
        container.getContainerProperties().setPollTimeoutWhilePaused(Duration.ofMinutes(1));
        container.start();
        Duration half = container.getSettings().commitInterval().dividedBy(2);
        assertThat(container.getContainerProperties().getPollTimeout()).isEqualTo(half.toMillis());
        assertThat(container.getContainerProperties().getPollTimeoutWhilePaused())
                .isEqualTo(half);
    }

    private static void abort(KafkaProducer<String, String> producer, String topic) throws Exception {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic, "aborted", "0")).get();
        producer.abortTransaction();
    }

    /** Where no rebalance tells of anything: from where it was told, drained at the stop, and on from the commit. */
    @Test
    void partitionsThatAreAssignedByHand() throws Exception {
        String topic = Broker.topic(2);
        Broker.send(List.of(new ProducerRecord<>(topic, 1, "skipped", "0")));
        for (ProducerRecord<String, String> each : ledger.next(topic, 200, 10)) {
            Broker.send(List.of(new ProducerRecord<>(topic, 1, each.key(), each.value())));
        }
        var first = byHand(topic, 1L);
        first.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() >= 100);
        first.stop();
        long committed = Broker.committed(topic, topic, 1);
        assertThat(committed).isGreaterThan(1).isLessThanOrEqualTo(201);
        var second = byHand(topic, null);
        second.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 1) == 201);
        ledger.assertExactlyOnce();
        assertThat(Broker.committed(topic, topic, 0)).isEqualTo(-1);
    }

    private OrderedMessageListenerContainer<String, String> byHand(String topic, Long offset) {
        ContainerProperties properties = new ContainerProperties(new TopicPartitionOffset(topic, 1, offset));
        properties.setGroupId(topic);
        return containers.container(
                topic,
                properties,
                containers.executor(4),
                Map.of("max.poll.records", 20),
                record -> ledger.process(record, () -> {}));
    }
}
