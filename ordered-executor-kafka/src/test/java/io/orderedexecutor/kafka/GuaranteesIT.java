package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.event.ConsumerStoppingEvent;

/** The guarantees K1 to K8, against a real broker. */
class GuaranteesIT {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    @Test
    void k1_recordsOfAKeyRunInOrderAndOthersInParallel() throws Exception {
        String topic = Broker.topic(2);
        Broker.send(ledger.next(topic, 2000, 50));
        CountDownLatch atOnce = new CountDownLatch(8);
        var container = containers.container(
                "k1",
                topic,
                containers.executor(16),
                Map.of(),
                record -> ledger.process(record, () -> {
                    atOnce.countDown();
                    // two partitions: more than two at a time is what this is about
                    Containers.await(atOnce);
                }));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 2000);
        ledger.assertExactlyOnce();
        await().atMost(Duration.ofSeconds(30)).until(() -> lag("k1", topic, 2, 2000) == 0);
    }

    @Test
    void k1_aRetryKeepsThePlaceAndHoldsNoOther() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 300, 10));
        AtomicInteger failures = new AtomicInteger();
        Set<String> failed = ConcurrentHashMap.newKeySet();
        var container = containers.container(
                "k1-retry",
                topic,
                containers.executor(4),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (Integer.parseInt(record.value()) % 5 == 2 && failed.add(record.key() + record.value())) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("the first time");
                    }
                }));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 300);
        assertThat(failures.get()).isEqualTo(60);
        ledger.assertExactlyOnce();
    }

    @Test
    void k2_nothingIsCommittedThatIsNotSettled() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "slow")));
        Broker.send(ledger.next(topic, 100, 10));
        CountDownLatch release = new CountDownLatch(1);
        var container = containers.container(
                "k2",
                topic,
                containers.executor(4),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.key().equals("slow")) {
                        Containers.await(release);
                    }
                }));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 100);
        // the offset stays, and the metadata tells the rest
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !metadata("k2", topic).isEmpty());
        assertThat(Broker.committed("k2", topic, 0)).isZero();
        release.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("k2", topic, 0) == 101);
        assertThat(metadata("k2", topic)).isEmpty();
        ledger.assertExactlyOnce();
    }

    @Test
    void k4_aGracefulStopRepeatsNothing() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "slow")));
        Broker.send(ledger.next(topic, 500, 20));
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        var first = containers.container("k4", topic, containers.executor(4), Map.of(), record -> {
            if (record.key().equals("slow")) {
                started.countDown();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw new IllegalStateException(e);
                }
            }
            ledger.process(record, () -> {});
        });
        // what runs has time to end, but for the slow one, which uses it up
        first.setSettings(Containers.with(1000, 3, Duration.ofSeconds(5)));
        first.start();
        Containers.await(started);
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() > 100);
        first.stop();
        // a stop does not wait for those that it interrupts
        Containers.await(interrupted);
        int before = ledger.count();
        var second = containers.container(
                "k4", topic, containers.executor(4), Map.of(), record -> ledger.process(record, () -> {}));
        second.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 501);
        ledger.assertExactlyOnce();
        assertThat(before).isPositive();
    }

    @Test
    void k4_aStopWaitsForWhatRunsAndCommitsIt() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 10, 10));
        CountDownLatch running = new CountDownLatch(4);
        CountDownLatch release = new CountDownLatch(1);
        var container = containers.container(
                "k4-wait",
                topic,
                containers.executor(4),
                Map.of(),
                record -> ledger.process(record, () -> {
                    running.countDown();
                    Containers.await(release);
                }));
        container.start();
        Containers.await(running);
        CountDownLatch stopped = new CountDownLatch(1);
        container.stop(stopped::countDown);
        // from then on nothing starts
        await().atMost(Duration.ofSeconds(30))
                .until(() -> container.turns().stream()
                        .flatMap(turn -> turn.assignments().values().stream())
                        .anyMatch(Assignment::isDraining));
        assertThat(stopped.getCount()).isOne();
        release.countDown();
        Containers.await(stopped);
        // four ran; what was queued behind them is Kafka's again
        assertThat(ledger.count()).isEqualTo(4);
        assertThat(Broker.committed("k4-wait", topic, 0)).isEqualTo(4);
    }

    @Test
    void k4_aStartWhileTheLastStopStillDrainsRepeatsNothing() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 40, 10));
        CountDownLatch running = new CountDownLatch(4);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        var container = containers.container(
                "k4-restart",
                topic,
                containers.executor(4),
                Map.of("heartbeat.interval.ms", 200),
                record -> ledger.process(record, () -> {
                    starts.incrementAndGet();
                    running.countDown();
                    Containers.await(release);
                }));
        CountDownLatch restarted = new CountDownLatch(1);
        container.setApplicationEventPublisher(event -> {
            // on the consumer's thread, just before it drains
            if (event instanceof ConsumerStoppingEvent) {
                Containers.await(restarted);
            }
        });
        container.start();
        Containers.await(running);
        CountDownLatch stopped = new CountDownLatch(1);
        container.stop(stopped::countDown);
        container.start();
        restarted.countDown();
        assertThat(stopped.getCount()).isOne();
        release.countDown();
        Containers.await(stopped);
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("k4-restart", topic, 0) == 40);
        ledger.assertExactlyOnce();
        assertThat(starts.get()).isEqualTo(40);
    }

    @Test
    void k5_aParkedKeyHoldsUpOnlyItself() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(ledger.next(topic, "bad"), ledger.next(topic, "bad")));
        Broker.send(ledger.next(topic, 200, 10));
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger attempts = new AtomicInteger();
        var container = containers.container(
                "k5",
                topic,
                containers.executor(2),
                Map.of(),
                record -> ledger.process(record, () -> {
                    if (record.key().equals("bad") && broken.get()) {
                        attempts.incrementAndGet();
                        throw new IllegalStateException("broken");
                    }
                }));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 200);
        await().atMost(Duration.ofSeconds(30)).until(() -> !parked(container).isEmpty());
        assertThat(attempts.get()).isEqualTo(3);
        assertThat(ledger.of("bad")).isEmpty();
        broken.set(false);
        assertThat(container.endParking(new TopicPartition(topic, 0), 0, ParkedAction.RESUME))
                .isTrue();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 202);
        ledger.assertExactlyOnce();
        assertThat(container.endParking(new TopicPartition(topic, 0), 0, ParkedAction.RESUME))
                .isFalse();
    }

    @Test
    void k6_aFullPartitionIsPausedAndNoOther() throws Exception {
        String topic = Broker.topic(2);
        TopicPartition full = new TopicPartition(topic, 0);
        var records = new java.util.ArrayList<org.apache.kafka.clients.producer.ProducerRecord<String, String>>();
        for (int i = 0; i < 600; i++) {
            records.add(new org.apache.kafka.clients.producer.ProducerRecord<>(
                    topic, 0, "stuck", ledger.next(topic, "stuck").value()));
            records.add(new org.apache.kafka.clients.producer.ProducerRecord<>(
                    topic, 1, "free", ledger.next(topic, "free").value()));
        }
        Broker.send(records);
        CountDownLatch release = new CountDownLatch(1);
        var container = containers.container(
                "k6",
                topic,
                containers.executor(2),
                Map.of("max.poll.records", 20),
                record -> ledger.process(record, () -> {
                    if (record.key().equals("stuck")) {
                        Containers.await(release);
                    }
                }));
        container.setSettings(Containers.with(100, 3, Duration.ofSeconds(10)));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.of("free").size() == 600);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            PartitionSnapshot held = container.partitions().stream()
                    .filter(each -> each.partition().equals(full))
                    .findFirst()
                    .orElseThrow();
            assertThat(held.paused()).isTrue();
            assertThat(held.unsettled()).isBetween(100, 120);
        });
        release.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 1200);
        ledger.assertExactlyOnce();
    }

    /**
     * A pause of a partition that this consumer does not have is nobody's: what is full must go on when it has room.
     */
    @Test
    void k6_aPauseOfWhatIsNotAssignedHoldsUpNothing() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 500, 5));
        CountDownLatch release = new CountDownLatch(1);
        var container = containers.container(
                "k6-not-ours",
                topic,
                containers.executor(2),
                Map.of("max.poll.records", 20),
                record -> ledger.process(record, () -> Containers.await(release)));
        container.setSettings(Containers.with(50, 3, Duration.ofSeconds(10)));
        container.start();
        container.pausePartition(new TopicPartition(topic, 0));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> container.partitions().stream().anyMatch(PartitionSnapshot::paused));
        release.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 500);
        ledger.assertExactlyOnce();
    }

    @Test
    void k6_whatTheApplicationPausedIsResumedByTheApplicationOnly() throws Exception {
        String topic = Broker.topic(1);
        TopicPartition partition = new TopicPartition(topic, 0);
        Broker.send(ledger.next(topic, 500, 5));
        CountDownLatch release = new CountDownLatch(1);
        var container = containers.container(
                "k6-paused",
                topic,
                containers.executor(2),
                Map.of("max.poll.records", 20),
                record -> ledger.process(record, () -> Containers.await(release)));
        container.setSettings(Containers.with(50, 3, Duration.ofSeconds(10)));
        container.start();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> container.partitions().stream().anyMatch(PartitionSnapshot::paused));
        container.pausePartition(partition);
        int handedOut = container.partitions().get(0).unsettled();
        release.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("k6-paused", topic, 0) == handedOut);
        // several turns later
        long until = System.nanoTime() + Duration.ofMillis(500).toNanos();
        await().until(() -> System.nanoTime() - until > 0);
        assertThat(ledger.count()).isEqualTo(handedOut);
        container.resumePartition(partition);
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 500);
        ledger.assertExactlyOnce();
    }

    @Test
    void k7_aRecordMayTakeLongerThanThePollInterval() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 20, 5));
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        var container = containers.container(
                "k7",
                topic,
                containers.executor(8),
                Map.of("max.poll.interval.ms", 7000, "session.timeout.ms", 6000, "heartbeat.interval.ms", 300),
                record -> ledger.process(record, () -> {
                    starts.incrementAndGet();
                    if (record.key().equals("key-0")) {
                        Containers.await(release);
                    }
                }));
        container.setSettings(Containers.with(1000, 3, Duration.ofSeconds(1)));
        container.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 16);
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        await().atMost(Duration.ofSeconds(30)).until(() -> System.nanoTime() - until > 0);
        release.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 20);
        ledger.assertExactlyOnce();
        assertThat(starts.get()).isEqualTo(20);
    }

    private static List<PartitionSnapshot.RecordSnapshot> parked(OrderedMessageListenerContainer<?, ?> container) {
        return container.partitions().stream()
                .flatMap(each -> each.parked().stream())
                .toList();
    }

    private static String metadata(String group, String topic) throws Exception {
        OffsetAndMetadata committed = Broker.committed(group).get(new TopicPartition(topic, 0));
        return committed == null ? "" : committed.metadata();
    }

    private static long lag(String group, String topic, int partitions, long sent) throws Exception {
        long committed = 0;
        for (int i = 0; i < partitions; i++) {
            committed += Math.max(0, Broker.committed(group, topic, i));
        }
        return sent - committed;
    }
}
