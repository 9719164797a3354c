package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** One broker for all tests of the JVM, with what they need of it. */
public final class Broker {
    private static final AtomicInteger TOPICS = new AtomicInteger();
    private static final EmbeddedKafkaKraftBroker BROKER = start();
    private static final Admin ADMIN = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers()));
    private static final KafkaProducer<String, String> PRODUCER = new KafkaProducer<>(Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers(),
            // a new topic whose leader this producer has not heard of yet would wait for minutes
            ProducerConfig.METADATA_MAX_AGE_CONFIG,
            500,
            // a batch that cannot be delivered tells its partition and the cause before a test runs out of time
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            5000,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            25_000,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            StringSerializer.class,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            StringSerializer.class));

    private Broker() {}

    private static EmbeddedKafkaKraftBroker start() {
        EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
        broker.brokerProperty("transaction.state.log.replication.factor", "1");
        broker.brokerProperty("transaction.state.log.min.isr", "1");
        broker.brokerProperty("transaction.state.log.num.partitions", "1");
        broker.brokerProperty("offsets.topic.num.partitions", "1");
        broker.brokerProperty("group.initial.rebalance.delay.ms", "0");
        broker.brokerProperty("group.consumer.heartbeat.interval.ms", "200");
        broker.brokerProperty("group.consumer.min.heartbeat.interval.ms", "200");
        // for tests that kill processes
        broker.brokerProperty("group.min.session.timeout.ms", "1000");
        broker.brokerProperty("group.consumer.min.session.timeout.ms", "1000");
        broker.afterPropertiesSet();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy));
        return broker;
    }

    public static String servers() {
        return BROKER.getBrokersAsString();
    }

    public static Admin admin() {
        return ADMIN;
    }

    /** A new topic, whose partitions have leaders. */
    public static String topic(int partitions) throws Exception {
        String topic = "topic-" + TOPICS.incrementAndGet();
        create(topic, partitions);
        return topic;
    }

    public static void create(String topic, int partitions) throws Exception {
        ADMIN.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                .all()
                .get(30, TimeUnit.SECONDS);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> ADMIN
                        .describeTopics(List.of(topic))
                        .allTopicNames()
                        .get(10, TimeUnit.SECONDS)
                        .get(topic)
                        .partitions()
                        .stream()
                        .allMatch(partition -> partition.leader() != null));
    }

    /** Sends records and waits until the broker has all of them. */
    public static void send(Iterable<ProducerRecord<String, String>> records) throws Exception {
        List<java.util.concurrent.Future<RecordMetadata>> sent = new ArrayList<>();
        records.forEach(record -> sent.add(PRODUCER.send(record)));
        // no flush(): it would wait beyond any limit of a test, and tell nothing of the cause
        for (java.util.concurrent.Future<RecordMetadata> each : sent) {
            each.get(30, TimeUnit.SECONDS);
        }
    }

    static Map<String, Object> consumerProperties(String group) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers());
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        return properties;
    }

    static DefaultKafkaConsumerFactory<String, String> consumers(String group, Map<String, Object> more) {
        Map<String, Object> properties = consumerProperties(group);
        properties.putAll(more);
        return new DefaultKafkaConsumerFactory<>(properties);
    }

    static Map<TopicPartition, OffsetAndMetadata> committed(String group) throws Exception {
        return ADMIN.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get(30, TimeUnit.SECONDS);
    }

    public static long committed(String group, String topic, int partition) throws Exception {
        OffsetAndMetadata committed = committed(group).get(new TopicPartition(topic, partition));
        return committed == null ? -1 : committed.offset();
    }
}
