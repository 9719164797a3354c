package io.orderedexecutor.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint;
import io.orderedexecutor.kafka.actuate.OrderedKafkaHealthIndicator;
import io.orderedexecutor.kafka.actuate.OrderedListeners;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.Status;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;
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

    private static OrderedListenerSettings deadLetters() {
        return Containers.deadLetters(1000, 3, Duration.ofSeconds(10));
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
        container.setSettings(deadLetters());
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
        container.setSettings(deadLetters());
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
        OrderedKafkaEndpoint endpoint =
                new OrderedKafkaEndpoint(() -> Map.of("refused", container), Show.NEVER, Set.of(), List.of());
        assertThatThrownBy(() -> endpoint.act("refused", topic + "-1", 0, ParkedAction.SKIP))
                .hasMessageContaining("Another instance may own the partition");
        assertThat(parked(container)).isOne();
        refuse.set(false);
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 51);
        assertThat(recovered).containsExactly("bad0");
        assertThat(ledger.of("bad")).containsExactly(1);
        assertThat(parked(container)).isZero();

        refuse.set(true);
        Broker.send(List.of(new ProducerRecord<>(topic, "bad", "0")));
        await().atMost(Duration.ofSeconds(30)).until(() -> parked(container) == 1);
        assertThat(endpoint.act("refused", topic + "-0", 52, ParkedAction.SKIP)).isNotNull();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("refused", topic, 0) == 53);
        assertThat(recovered).containsExactly("bad0");
    }

    /** A producer looks for a topic that does not exist for a minute, on the thread that sends. */
    @Test
    void deadLettersThatBlockHoldUpNoOtherKey() throws Exception {
        String topic = Broker.topic(1);
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            records.add(new ProducerRecord<>(topic, "bad-" + i, "0"));
        }
        records.addAll(ledger.next(topic, 2000, 50));
        Broker.send(records);
        CountDownLatch release = new CountDownLatch(1);
        List<String> recovered = new CopyOnWriteArrayList<>();
        var container = containers.container("blocked", topic, containers.executor(4), Map.of(), record -> {
            if (record.key().startsWith("bad-")) {
                throw new IllegalStateException("bad");
            }
            ledger.process(record, () -> {});
        });
        container.setSettings(Containers.deadLetters(3000, 1, Duration.ofSeconds(10)));
        container.setRecoverer((record, failure) -> {
            Containers.await(release);
            recovered.add("" + record.key());
        });
        container.start();
        try {
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(ledger.count()).isEqualTo(2000));
        } finally {
            release.countDown();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> Broker.committed("blocked", topic, 0) == 2010);
        ledger.assertExactlyOnce();
        assertThat(recovered).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void theKeyProceedsAfterTheLastAttempt() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 10, 1));
        var container = containers.container(
                "proceed",
                topic,
                containers.executor(1),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.value().equals("5")) {
                        throw new IllegalStateException("five");
                    }
                }));
        container.setSettings(
                Containers.QUICK.withFailurePolicy(Containers.retries(3).thenProceed()));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("proceed", topic, 0) == 10);
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
        container.setSettings(deadLetters());
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
        container.setKeyFunction(record -> switch (String.valueOf(record.value())) {
            case "3" -> null;
            case "4" -> throw new IllegalStateException("four");
            default -> record.key();
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() > 0 && parked(container) > 0);
        TopicPartition partition = new TopicPartition(topic, 0);
        // one after another: they share the partition's order
        for (long offset : new long[] {6, 7, 8, 9}) {
            await().atMost(Duration.ofSeconds(30))
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
    @DisplayName("a record whose dead letter is being published is not resumed, and who wants that is told why")
    void whatIsBeingPublishedIsNotResumed() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "slow"), ledger.next(topic, "bad"), ledger.next(topic, "bad")));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch isPublished = new CountDownLatch(1);
        CountDownLatch mayBeAccepted = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger publications = new AtomicInteger();
        var container = containers.container("publishing", topic, containers.executor(2), Map.of(), record -> {
            ledger.process(record, () -> {
                if (record.key().equals("slow")) {
                    Containers.await(mayEnd);
                } else if (record.value().equals("0")) {
                    attempts.incrementAndGet();
                    throw new IllegalStateException("bad");
                }
            });
        });
        container.setSettings(Containers.deadLetters(1000, 1, Duration.ofSeconds(10)));
        container.setRecoverer((record, failure) -> {
            if (publications.incrementAndGet() == 1) {
                throw new IllegalStateException("no broker");
            }
            isPublished.countDown();
            Containers.await(mayBeAccepted);
        });
        container.start();
        Containers.await(isPublished);
        OrderedKafkaEndpoint endpoint =
                new OrderedKafkaEndpoint(() -> Map.of("publishing", container), Show.NEVER, Set.of(), List.of());
        assertThatThrownBy(() -> endpoint.act("publishing", topic + "-0", 1, ParkedAction.RESUME))
                .hasMessageContaining("its dead letter is being published");
        mayBeAccepted.countDown();
        mayEnd.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("publishing", topic, 0) == 3);
        assertThat(attempts).hasValue(1);
        assertThat(publications).hasValue(2);
        assertThat(ledger.of("slow")).containsExactly(0);
        assertThat(ledger.of("bad")).containsExactly(1);
        assertThat(parked(container)).isZero();
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
        OrderedListeners listeners = () -> Map.of("shut", container);
        assertThat(new OrderedKafkaHealthIndicator(listeners, 0, null).health()).satisfies(health -> {
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails().get("reason")).asString().contains("'shut' has stopped itself");
        });
        var endpoint = new OrderedKafkaEndpoint(listeners, Show.NEVER, Set.of(), List.of());
        assertThat(endpoint.listener(SecurityContext.NONE, "shut"))
                .extracting(OrderedKafkaEndpoint.ListenerDescriptor::state)
                .isEqualTo("failed");
        containers
                .container("shut", topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}))
                .start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 50);
        ledger.assertExactlyOnce();
    }

    /** Who stops it waits for what runs; a listener that did would wait for itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListenerMayStopItsContainer(boolean inRecoverer) throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 20, 1));
        String group = "stops-itself-" + inRecoverer;
        AtomicReference<OrderedMessageListenerContainer<String, String>> self = new AtomicReference<>();
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Runnable stop = () -> {
            self.get().stop();
            interrupted.add(Thread.currentThread().isInterrupted());
        };
        AtomicBoolean first = new AtomicBoolean(true);
        MessageListener<String, String> listener = record -> {
            if (record.value().equals("5") && first.get()) {
                if (inRecoverer) {
                    throw new IllegalStateException("to the recoverer");
                }
                first.set(false);
                stop.run();
            }
            ledger.process(record, () -> {});
        };
        var container = containers.container(group, topic, containers.executor(2), Map.of(), listener);
        self.set(container);
        // longer than this test waits
        container.setSettings(Containers.deadLetters(1000, 1, Duration.ofSeconds(60)));
        container.setRecoverer((record, failure) -> {
            first.set(false);
            stop.run();
        });
        container.start();
        await().atMost(Duration.ofSeconds(20)).until(() -> !interrupted.isEmpty() && !container.isChildRunning());
        assertThat(interrupted).containsExactly(false);
        assertThat(container.isInExpectedState()).isTrue();
        assertThat(Broker.committed(group, topic, 0)).isEqualTo(6);
        assertThat(new OrderedKafkaHealthIndicator(() -> Map.of(group, container), 0, null)
                        .health()
                        .getStatus())
                .isEqualTo(Status.UP);
        container.start();
        await().atMost(Duration.ofSeconds(20)).until(() -> Broker.committed(group, topic, 0) == 20);
        List<Integer> all = IntStream.range(0, 20)
                .filter(each -> !inRecoverer || each != 5)
                .boxed()
                .toList();
        assertThat(ledger.of("key-0")).containsExactlyElementsOf(all);
    }

    /** The callback comes when it has stopped, also if a listener asks for it. */
    @Test
    void aListenerMayBeCalledBackWhenItsContainerHasStopped() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 1, 1));
        AtomicReference<OrderedMessageListenerContainer<String, String>> self = new AtomicReference<>();
        CountDownLatch stopped = new CountDownLatch(1);
        List<Long> atReturn = new CopyOnWriteArrayList<>();
        var container = containers.container(
                "called-back",
                topic,
                containers.executor(2),
                Map.of(),
                record -> ledger.process(record, () -> {
                    self.get().stop(stopped::countDown);
                    atReturn.add(stopped.getCount());
                }));
        self.set(container);
        container.start();
        Containers.await(stopped);
        assertThat(atReturn).containsExactly(1L);
        assertThat(Broker.committed("called-back", topic, 0)).isEqualTo(1);
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

    @ParameterizedTest
    @ValueSource(classes = {AssertionError.class, IOException.class})
    void anErrorOfAnInterceptorHoldsNoKey(Class<? extends Throwable> type) throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 6, 2));
        String group = "interceptor-" + type.getSimpleName();
        var container = containers.container(
                group, topic, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}));
        container.setRecordInterceptor(new RecordInterceptor<>() {
            @Override
            public ConsumerRecord<String, String> intercept(
                    ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                return record;
            }

            @Override
            public void success(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                FailingHandler.<RuntimeException>throwUndeclared(BeanUtils.instantiateClass(type));
            }
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(group, topic, 0) == 6);
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
        var after = containers.container("parked", topic, containers.executor(4), Map.of(), listener);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        OrderedListenerMetrics.bind(after, meters);
        after.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("parked", topic, 0) == 3001);
        ledger.assertExactlyOnce();
        assertThat(meters.get("ordered.kafka.deduplicated").counter().count()).isEqualTo(3000);
    }

    @Test
    @DisplayName("records run, and the container stops when it is told to, although all listeners of events throw")
    void listenersOfEventsThatThrow() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 10, 1));
        var container = containers.container(
                "events", topic, containers.executor(1), Map.of(), record -> ledger.process(record, () -> {}));
        container.setApplicationEventPublisher(event -> {
            throw new IllegalStateException("of the application");
        });
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 10);
        assertThat(container.isRunning()).isTrue();
        container.stop();
        assertThat(container.isRunning()).isFalse();
        ledger.assertExactlyOnce();
    }
}
