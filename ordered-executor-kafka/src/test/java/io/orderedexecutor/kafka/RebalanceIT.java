package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;

/**
 * Instances, each with an executor of its own, come and go under load: nothing is lost, out of order, repeated, or run
 * twice at a time.
 */
class RebalanceIT {
    private static final int RECORDS = 2000;

    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"eager", "cooperative", "consumer"})
    void instancesComeAndGo(String protocol) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String topic = Broker.topic(4);
        String group = "rebalance-" + protocol;
        Broker.send(ledger.next(topic, RECORDS, 100));
        Deque<OrderedMessageListenerContainer<String, String>> running = new ArrayDeque<>();
        try {
            running.add(start(group, topic, protocol, random.nextLong()));
            for (int i = 0; i < 5; i++) {
                running.add(start(group, topic, protocol, random.nextLong()));
                int until = Math.min(RECORDS, ledger.count() + 200 + random.nextInt(200));
                await().atMost(Duration.ofSeconds(40)).until(() -> ledger.count() >= until);
                if (running.size() > 2 || random.nextBoolean()) {
                    running.remove().stop();
                }
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> ledger.count() >= RECORDS);
            running.forEach(OrderedMessageListenerContainer::stop);
            ledger.assertExactlyOnce();
            long committed = 0;
            for (int partition = 0; partition < 4; partition++) {
                committed += Broker.committed(group, topic, partition);
            }
            assertThat(committed).isEqualTo(RECORDS);
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ", processed " + ledger.count(), e);
        }
    }

    private OrderedMessageListenerContainer<String, String> start(
            String group, String topic, String protocol, long seed) {
        StripedExecutor executor = containers.executor(8);
        Random pauses = new Random(seed);
        var container = containers.container(
                group,
                topic,
                executor,
                consumer(protocol),
                record -> ledger.process(record, () -> {
                    int millis;
                    synchronized (pauses) {
                        millis = pauses.nextInt(8);
                    }
                    pause(millis);
                }));
        container.start();
        return container;
    }

    /**
     * The application looks something up when partitions come, as many do to seek. With a small window the consumer is
     * often paused, and goes on when there is room: that must not hit the application's calls.
     */
    @ParameterizedTest
    @ValueSource(strings = {"cooperative", "consumer"})
    void theApplicationIsToldOfWhatRuns(String protocol) throws Exception {
        String topic = Broker.topic(4);
        String group = "told-" + protocol;
        Broker.send(ledger.next(topic, RECORDS, 500));
        Queue<String> untold = new ConcurrentLinkedQueue<>();
        Deque<OrderedMessageListenerContainer<String, String>> running = new ArrayDeque<>();
        running.add(startTold(group, topic, protocol, untold));
        for (int i = 1; i <= 8; i++) {
            int until = i * RECORDS / 10;
            await().atMost(Duration.ofSeconds(40)).until(() -> ledger.count() >= until);
            if (running.size() > 2) {
                running.remove().stop();
            } else {
                running.add(startTold(group, topic, protocol, untold));
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> ledger.count() >= RECORDS);
        running.forEach(OrderedMessageListenerContainer::stop);
        ledger.assertExactlyOnce();
        assertThat(untold).isEmpty();
    }

    private OrderedMessageListenerContainer<String, String> startTold(
            String group, String topic, String protocol, Queue<String> untold) {
        Set<TopicPartition> told = ConcurrentHashMap.newKeySet();
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(group);
        properties.setConsumerRebalanceListener(new ConsumerAwareRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                // meanwhile records of other partitions end, and those have room again
                pause(200);
                try {
                    var unused = consumer.committed(new HashSet<>(partitions));
                } catch (KafkaException e) {
                    // any other only tells that the group has gone on meanwhile
                    if (e instanceof WakeupException) {
                        throw e;
                    }
                }
                told.addAll(partitions);
            }

            @Override
            public void onPartitionsRevokedAfterCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                told.removeAll(partitions);
            }

            @Override
            public void onPartitionsLost(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                told.removeAll(partitions);
            }
        });
        Map<String, Object> consumer = new HashMap<>(consumer(protocol));
        // so few that a paused partition has room again before a callback ends
        consumer.put("max.poll.records", 20);
        var container = containers.container(group, properties, containers.executor(8), consumer, record -> {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            if (!told.contains(partition)) {
                untold.add(partition + "@" + record.offset());
            }
            ledger.process(record, () -> pause(20));
        });
        container.setSettings(Containers.with(20, 3, Duration.ofSeconds(10)));
        container.start();
        return container;
    }

    /** Work that takes a while. */
    private static void pause(int millis) {
        try {
            assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS))
                    .isFalse();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> consumer(String protocol) {
        return switch (protocol) {
            case "eager" ->
                Map.of(
                        "partition.assignment.strategy",
                        "org.apache.kafka.clients.consumer.RangeAssignor",
                        "heartbeat.interval.ms",
                        200,
                        "max.poll.records",
                        200);
            case "cooperative" ->
                Map.of(
                        "partition.assignment.strategy",
                        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
                        "heartbeat.interval.ms",
                        200,
                        "max.poll.records",
                        200);
            default -> Map.of("group.protocol", "consumer", "max.poll.records", 200);
        };
    }
}
