package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import kafka.server.BrokerServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** A broker that goes away in the middle, and comes back. It has to be one of its own. */
class BrokerRestartIT {
    private static final int RECORDS = 2000;

    /** Of some ten records. */
    private static final int BATCH_BYTES = 1024;

    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();
    private EmbeddedKafkaKraftBroker cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new EmbeddedKafkaKraftBroker(1, 2, "restart");
        // a system property, and by default the one that applications of other tests find their broker by
        cluster.brokerListProperty("restarted.brokers");
        cluster.kafkaPorts(freePort());
        cluster.brokerProperty("offsets.topic.num.partitions", "1");
        cluster.brokerProperty("offsets.topic.replication.factor", "1");
        cluster.brokerProperty("group.initial.rebalance.delay.ms", "0");
        cluster.brokerProperty("controlled.shutdown.enable", "false");
        cluster.afterPropertiesSet();
    }

    private static int freePort() throws Exception {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void stop() {
        containers.close();
        cluster.destroy();
    }

    @Test
    void whatRunsEndsAndTheRestFollowsWhenTheBrokerIsBack() throws Exception {
        StripedExecutor executor = containers.executor(4);
        var container = containers.container(
                "restart",
                "restart",
                executor,
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        cluster.getBrokersAsString(),
                        "max.poll.records",
                        50,
                        // what is fetched ahead is processed without a broker, too
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        BATCH_BYTES,
                        // an eager one may give all partitions up when it hears that a broker goes
                        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                        CooperativeStickyAssignor.class.getName()),
                record -> ledger.process(record, () -> {}));
        container.setSettings(Containers.with(100, 3, Duration.ofSeconds(10)));
        send(RECORDS);
        // full windows, and none of it settled, when the broker goes
        executor.control().pause();
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> unsettled(container) >= 200);
        BrokerServer broker = cluster.getCluster().brokers().values().iterator().next();
        broker.shutdown();
        broker.awaitShutdown();
        executor.control().resume();
        await().atMost(Duration.ofSeconds(30)).until(() -> unsettled(container) == 0);
        assertThat(ledger.count()).isBetween(200, 400);
        assertThat(container.isRunning()).isTrue();
        broker.startup();
        await().atMost(Duration.ofSeconds(60)).until(() -> ledger.count() >= RECORDS);
        await().atMost(Duration.ofSeconds(30)).until(() -> committed() == RECORDS);
        ledger.assertAtLeastOnce();
    }

    private static int unsettled(OrderedMessageListenerContainer<?, ?> container) {
        return container.partitions().stream()
                .mapToInt(PartitionSnapshot::unsettled)
                .sum();
    }

    private void send(int count) throws Exception {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.getBrokersAsString());
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (ProducerRecord<String, String> each : ledger.next("restart", count, 20)) {
                sent.add(producer.send(each));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
    }

    private long committed() throws Exception {
        try (Admin admin =
                Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.getBrokersAsString()))) {
            Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets("restart")
                    .partitionsToOffsetAndMetadata()
                    .get(30, TimeUnit.SECONDS);
            return offsets.values().stream()
                    .mapToLong(OffsetAndMetadata::offset)
                    .sum();
        }
    }
}
