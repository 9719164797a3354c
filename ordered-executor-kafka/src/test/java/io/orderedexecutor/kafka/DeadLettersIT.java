package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;

/** Dead letters that are not what the template of the application is made for. */
class DeadLettersIT {
    private final Containers containers = new Containers();

    @AfterEach
    void stop() {
        containers.close();
    }

    private static Map<String, Object> producer() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Broker.servers());
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, IntegerSerializer.class);
        return properties;
    }

    @Test
    void bytesArePublishedOutsideOfTheTransactionsOfATemplate() throws Exception {
        DefaultKafkaProducerFactory<String, Integer> factory = new DefaultKafkaProducerFactory<>(producer());
        factory.setTransactionIdPrefix("dead-");
        assertPublished(factory);
    }

    @Test
    void bytesAreNotGivenToASerializerThatIsAnInstance() throws Exception {
        assertPublished(new DefaultKafkaProducerFactory<>(producer(), new StringSerializer(), new IntegerSerializer()));
    }

    /** Nothing can be done with such a record then, as in any listener: the log has to tell what helps. */
    @Test
    void aRecordThatCannotBeReadStopsTheContainerOnceAndIsToldWithTheFix() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(new ProducerRecord<>(topic, "k", "poison")));
        var container = containers.container(
                topic,
                topic,
                containers.executor(1),
                Map.of(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, IntegerDeserializer.class),
                record -> {});
        try (LogLines log = new LogLines(OrderedMessageListenerContainer.class.getName())) {
            container.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> !container.isRunning() && !container.isChildRunning());
            assertThat(log.lines().stream().filter(line -> line.startsWith("ERROR ")))
                    .singleElement()
                    .asString()
                    .contains("'" + topic + "'", "The container stops", "ErrorHandlingDeserializer");
            assertThat(container.isInExpectedState()).isFalse();
        }
    }

    /** One record that no integer can be read from, one that fails, and one that does not. */
    private void assertPublished(DefaultKafkaProducerFactory<String, Integer> factory) throws Exception {
        String topic = Broker.topic(1);
        Broker.create(topic + "-dlt", 1);
        Broker.send(List.of(
                new ProducerRecord<>(topic, "k", "poison"),
                new ProducerRecord<>(topic, "k", "\0\0\0\1"),
                new ProducerRecord<>(topic, "k", "\0\0\0\2")));
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(topic);
        OrderedMessageListenerContainer<String, String> container = new OrderedMessageListenerContainer<>(
                Broker.consumers(
                        topic,
                        Map.of(
                                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                                ErrorHandlingDeserializer.class,
                                ErrorHandlingDeserializer.VALUE_DESERIALIZER_CLASS,
                                IntegerDeserializer.class)),
                properties,
                containers.executor(1));
        container.setSettings(Containers.deadLetters(1000, 1, Duration.ofSeconds(10)));
        container.setDeadLetterTemplate(new KafkaTemplate<>(factory));
        List<Object> seen = new CopyOnWriteArrayList<>();
        container.setupMessageListener((org.springframework.kafka.listener.MessageListener<String, Object>) record -> {
            seen.add(record.value());
            if (record.value().equals(1)) {
                throw new IllegalStateException("one");
            }
        });
        container.start();
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(topic, topic, 0) == 3);
        } finally {
            container.stop();
            container.destroy();
            factory.destroy();
        }
        assertThat(seen).containsExactly(1, 2);
        List<String> dead = new CopyOnWriteArrayList<>();
        containers
                .container(
                        topic + "-reader",
                        topic + "-dlt",
                        containers.executor(1),
                        Map.of(),
                        record -> dead.add(record.value()))
                .start();
        await().atMost(Duration.ofSeconds(30)).until(() -> dead.size() == 2);
        assertThat(dead).containsExactly("poison", "\0\0\0\1");
    }
}
