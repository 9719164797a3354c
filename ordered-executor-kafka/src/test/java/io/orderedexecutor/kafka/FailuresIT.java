package io.orderedexecutor.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;

/** What happens to a record that fails, against a real broker. */
class FailuresIT {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    private static KafkaTemplate<String, String> template() {
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                Broker.servers(),
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class)));
    }

    private static OrderedListenerSettings policy(FailurePolicy policy) {
        return Containers.with(1000, 3, policy, Duration.ofSeconds(10));
    }

    @Test
    void theAttemptIsInTheHeader() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "a")));
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        var container = containers.container(
                "attempts",
                topic,
                containers.executor(1),
                Map.of(),
                record -> ledger.process(record, () -> {
                    attempts.add(ByteBuffer.wrap(record.headers()
                                    .lastHeader(KafkaHeaders.DELIVERY_ATTEMPT)
                                    .value())
                            .getInt());
                    if (attempts.size() < 3) {
                        throw new AssertionError("an Error is as an exception");
                    }
                }));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 1);
        assertThat(attempts).containsExactly(1, 2, 3);
    }

    @Test
    void aDeadLetterIsPublishedByKeyAndTheKeyGoesOn() throws Exception {
        String topic = Broker.topic(3);
        Broker.create(topic + "-dlt", 1);
        Broker.send(ledger.next(topic, 30, 3));
        var container = containers.container(
                "dlt",
                topic,
                containers.executor(2),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.value().equals("4")) {
                        throw new IllegalStateException("four");
                    }
                }));
        container.setSettings(policy(FailurePolicy.DEAD_LETTER));
        container.setDeadLetterTemplate(template());
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 27);
        assertThat(ledger.of("key-0")).containsExactly(0, 1, 2, 3, 5, 6, 7, 8, 9);

        List<ConsumerRecord<String, String>> dead = new CopyOnWriteArrayList<>();
        var letters = containers.container("dlt-reader", topic + "-dlt", containers.executor(1), Map.of(), dead::add);
        letters.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> dead.size() == 3);
        assertThat(dead).extracting(ConsumerRecord::key).containsExactlyInAnyOrder("key-0", "key-1", "key-2");
        assertThat(dead).allSatisfy(each -> {
            assertThat(new String(
                            each.headers()
                                    .lastHeader(KafkaHeaders.DLT_ORIGINAL_TOPIC)
                                    .value(),
                            UTF_8))
                    .isEqualTo(topic);
            assertThat(new String(
                            each.headers()
                                    .lastHeader(KafkaHeaders.DLT_ORIGINAL_CONSUMER_GROUP)
                                    .value(),
                            UTF_8))
                    .isEqualTo("dlt");
        });
    }

    @Test
    void aRefusedDeadLetterIsTriedAgainAndHoldsOnlyItsKey() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "bad"), ledger.next(topic, "bad")));
        Broker.send(ledger.next(topic, 50, 5));
        AtomicBoolean refuse = new AtomicBoolean(true);
        AtomicInteger refused = new AtomicInteger();
        List<String> recovered = new CopyOnWriteArrayList<>();
        var container = containers.container(
                "refused",
                topic,
                containers.executor(1),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.key().equals("bad") && record.value().equals("0")) {
                        throw new IllegalStateException("bad");
                    }
                }));
        container.setSettings(policy(FailurePolicy.DEAD_LETTER));
        container.setRecoverer((record, failure) -> {
            if (refuse.get()) {
                refused.incrementAndGet();
                throw new IllegalStateException("no broker");
            }
            recovered.add("" + record.key() + record.value());
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 50 && refused.get() >= 3);
        assertThat(ledger.of("bad")).isEmpty();
        assertThat(Broker.committed("refused", topic, 0)).isLessThanOrEqualTo(0);
        refuse.set(false);
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 51);
        assertThat(recovered).containsExactly("bad0");
        assertThat(ledger.of("bad")).containsExactly(1);
    }

    @Test
    void skippedIsSettled() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 10, 1));
        var container = containers.container(
                "skip",
                topic,
                containers.executor(1),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.value().equals("5")) {
                        throw new IllegalStateException("five");
                    }
                }));
        container.setSettings(policy(FailurePolicy.SKIP));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("skip", topic, 0) == 10);
        assertThat(ledger.of("key-0")).containsExactly(0, 1, 2, 3, 4, 6, 7, 8, 9);
    }

    @Test
    void whatCannotBeDeserialisedGoesStraightToThePolicyInItsPlace() throws Exception {
        String topic = Broker.topic(1);
        Broker.create(topic + "-dlt", 1);
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        records.add(new ProducerRecord<>(topic, "k", "\0\0\0\1"));
        records.add(new ProducerRecord<>(topic, "k", "poison"));
        records.add(new ProducerRecord<>(topic, "k", "\0\0\0\2"));
        Broker.send(records);
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId("poison");
        List<Object> seen = Collections.synchronizedList(new ArrayList<>());
        StripedExecutor executor = containers.executor(2);
        var factory = Broker.consumers(
                "poison",
                Map.of(
                        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                        ErrorHandlingDeserializer.class,
                        ErrorHandlingDeserializer.VALUE_DESERIALIZER_CLASS,
                        IntegerDeserializer.class));
        OrderedMessageListenerContainer<String, String> container =
                new OrderedMessageListenerContainer<>(factory, properties, executor);
        container.setSettings(policy(FailurePolicy.DEAD_LETTER));
        container.setDeadLetterTemplate(template());
        container.setupMessageListener((org.springframework.kafka.listener.MessageListener<String, Object>)
                record -> seen.add(record.value()));
        container.start();
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("poison", topic, 0) == 3);
            assertThat(seen).containsExactly(1, 2);
        } finally {
            container.stop();
        }
        List<String> dead = new CopyOnWriteArrayList<>();
        containers
                .container(
                        "poison-reader",
                        topic + "-dlt",
                        containers.executor(1),
                        Map.of(),
                        record -> dead.add(record.value()))
                .start();
        await().atMost(Duration.ofSeconds(30)).until(() -> dead.size() == 1);
        assertThat(dead).containsExactly("poison");
    }

    @Test
    void aKeyThatCannotBeToldIsAFailedRecordOfItsPartition() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 20, 2));
        var container = containers.container(
                "no-key", topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}));
        container.setStripe(record -> switch (String.valueOf(record.value())) {
            case "3" -> null;
            case "4" -> throw new IllegalStateException("four");
            default -> record.key();
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() > 0 && parked(container) > 0);
        TopicPartition partition = new TopicPartition(topic, 0);
        // one after another: they share the partition's order
        for (long offset : new long[] {6, 7, 8, 9}) {
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> container.endParking(partition, offset, ParkedAction.SKIP));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("no-key", topic, 0) == 20);
        assertThat(ledger.of("key-0")).containsExactly(0, 1, 2, 5, 6, 7, 8, 9);
    }

    private static long parked(OrderedMessageListenerContainer<?, ?> container) {
        return container.partitions().stream()
                .mapToLong(each -> each.parked().size())
                .sum();
    }

    @Test
    void anExecutorThatRefusesStopsTheContainerAndLosesNothing() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 20, 5));
        StripedExecutor executor = containers.executor(2);
        var container =
                containers.container("shut", topic, executor, Map.of(), record -> ledger.process(record, () -> {}));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 20);
        executor.shutdown();
        Broker.send(ledger.next(topic, 30, 5));
        await().atMost(Duration.ofSeconds(30)).until(() -> !container.isRunning() && !container.isChildRunning());
        assertThat(ledger.count()).isEqualTo(20);
        assertThat(Broker.committed("shut", topic, 0)).isEqualTo(20);
        containers
                .container("shut", topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}))
                .start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 50);
        ledger.assertExactlyOnce();
    }

    /** Meters never decide over records. */
    @Test
    void eventsThatThrowDecideNothing() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 20, 5));
        var container = containers.container(
                "throwing-events", topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}));
        container.setEvents(new ListenerEvents() {
            @Override
            public void assigned(String topic) {
                throw new IllegalArgumentException("a meter of this name has other tags");
            }

            @Override
            public void ended(String topic, Outcome outcome) {
                throw new IllegalArgumentException("a meter of this name has other tags");
            }

            @Override
            public void committed(String topic, Duration took, boolean success) {
                throw new IllegalArgumentException("a meter of this name has other tags");
            }
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("throwing-events", topic, 0) == 20);
        ledger.assertExactlyOnce();
        assertThat(container.isRunning()).isTrue();
    }

    @Test
    void anErrorOfAnInterceptorHoldsNoKey() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 6, 2));
        var container = containers.container(
                "interceptor", topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}));
        container.setRecordInterceptor(new RecordInterceptor<>() {
            @Override
            public ConsumerRecord<String, String> intercept(
                    ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                return record;
            }

            @Override
            public void success(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                throw new AssertionError("after the record");
            }
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("interceptor", topic, 0) == 6);
        ledger.assertExactlyOnce();
    }

    @Test
    void recordsAroundAParkedOneAreNotRepeatedAfterARestart() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "bad")));
        Broker.send(ledger.next(topic, 3000, 50));
        AtomicBoolean broken = new AtomicBoolean(true);
        CountDownLatch first = new CountDownLatch(3000);
        org.springframework.kafka.listener.MessageListener<String, String> listener =
                record -> ledger.process(record, () -> {
                    if (record.key().equals("bad") && broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    first.countDown();
                });
        var before = containers.container("parked", topic, containers.executor(4), Map.of(), listener);
        before.start();
        Containers.await(first);
        before.stop();
        broken.set(false);
        containers
                .container("parked", topic, containers.executor(4), Map.of(), listener)
                .start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("parked", topic, 0) == 3001);
        ledger.assertExactlyOnce();
    }
}
