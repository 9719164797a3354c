package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/** What a consumer throws between and in its polls stops the container once, and loses nothing. */
class ConsumerFailuresIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int BEFORE = 20;
    private static final int AFTER = 200;

    private final Containers containers = new Containers();
    private final AtomicBoolean fails = new AtomicBoolean();

    @AfterEach
    void stop() {
        containers.close();
    }

    @ParameterizedTest(name = "{0}, each time: {1}")
    @CsvSource({
        "assignment, false", "assignment, true",
        "paused, false", "paused, true",
        "pause, false", "pause, true",
        "resume, false", "resume, true",
        "poll, false", "poll, true"
    })
    void theContainerStopsOnceAndItsRestartRunsTheRest(String method, boolean eachTime) throws Exception {
        String topic = Broker.topic(1);
        Ledger ledger = new Ledger();
        DefaultKafkaConsumerFactory<String, String> consumers = Broker.consumers(topic, Map.of("max.poll.records", 50));
        consumers.addPostProcessor(consumer -> failing(consumer, method, eachTime));
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(topic);
        OrderedMessageListenerContainer<String, String> container =
                new OrderedMessageListenerContainer<>(consumers, properties, containers.executor(2));
        container.setBeanName(topic);
        // a window that is full now and then, so that partitions are paused and resumed
        container.setSettings(Containers.with(20, 1, Duration.ofSeconds(5)));
        container.setupMessageListener((MessageListener<String, String>) record -> ledger.process(record, () -> {}));
        Broker.send(ledger.next(topic, BEFORE, 2));
        container.start();
        try (LogLines log = new LogLines(OrderedMessageListenerContainer.class.getPackageName());
                LogLines ofSpring = new LogLines("org.springframework.kafka")) {
            await().atMost(LIMIT).until(() -> ledger.count() == BEFORE);
            fails.set(true);
            Broker.send(ledger.next(topic, AFTER, 10));
            await().atMost(LIMIT).until(() -> !container.isRunning() && !container.isChildRunning());
            assertThat(log.lines().stream().filter(line -> line.startsWith("ERROR ")))
                    .singleElement()
                    .asString()
                    .contains("'" + topic + "'", "The container stops");
            assertThat(ofSpring.lines().stream().filter(line -> line.startsWith("ERROR ")))
                    .as("errors of a loop of polls that fail")
                    .hasSizeLessThanOrEqualTo(2);
            fails.set(false);
            container.start();
            await().atMost(LIMIT).until(() -> Broker.committed(topic, topic, 0) == BEFORE + AFTER);
            if (eachTime) {
                // what a consumer that fails until it is closed could not commit runs again
                ledger.assertAtLeastOnce();
            } else {
                ledger.assertExactlyOnce();
            }
        } finally {
            container.stop();
            container.destroy();
        }
    }

    /** A container that a test can keep from being stopped. */
    private static final class Locked extends OrderedMessageListenerContainer<String, String> {
        Locked(String topic, DefaultKafkaConsumerFactory<String, String> consumers, Containers containers) {
            super(consumers, new ContainerProperties(topic), containers.executor(2));
        }

        void whileLocked(Runnable steps) {
            lifecycleLock.lock();
            try {
                steps.run();
            } finally {
                lifecycleLock.unlock();
            }
        }
    }

    @Test
    void aStopThatComesLateDoesNotStopTheNextStart() throws Exception {
        String topic = Broker.topic(1);
        Ledger ledger = new Ledger();
        DefaultKafkaConsumerFactory<String, String> consumers = Broker.consumers(topic, Map.of());
        consumers.addPostProcessor(consumer -> failing(consumer, "poll", false));
        Locked container = new Locked(topic, consumers, containers);
        container.setBeanName(topic);
        container.setSettings(Containers.with(20, 1, Duration.ofSeconds(5)));
        container.setupMessageListener((MessageListener<String, String>) record -> ledger.process(record, () -> {}));
        Broker.send(ledger.next(topic, BEFORE, 2));
        container.start();
        try (LogLines log = new LogLines(OrderedMessageListenerContainer.class.getPackageName())) {
            await().atMost(LIMIT).until(() -> ledger.count() == BEFORE);
            container.whileLocked(() -> {
                fails.set(true);
                await().atMost(LIMIT)
                        .until(() -> log.lines().stream().anyMatch(line -> line.contains("The container stops")));
                // this waits for the consumer's thread, which has asked for the stop by then
                container.stop();
                container.start();
            });
            await().atMost(LIMIT)
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith(topic + "-stop-")));
            assertThat(container.isRunning()).isTrue();
            Broker.send(ledger.next(topic, AFTER, 10));
            await().atMost(LIMIT).until(() -> Broker.committed(topic, topic, 0) == BEFORE + AFTER);
            ledger.assertExactlyOnce();
        } finally {
            container.stop();
            container.destroy();
        }
    }

    @SuppressWarnings("unchecked")
    private Consumer<String, String> failing(Consumer<String, String> consumer, String method, boolean eachTime) {
        return (Consumer<String, String>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method) && (eachTime ? fails.get() : fails.getAndSet(false))) {
                        throw new IllegalStateException("of the consumer");
                    }
                    try {
                        return called.invoke(consumer, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
