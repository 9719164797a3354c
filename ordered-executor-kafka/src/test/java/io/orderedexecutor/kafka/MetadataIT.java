package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.TopicPartitionOffset;

/** What a group finds beside its committed offset, against a real broker: what is not certainly ours skips nothing. */
class MetadataIT {
    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    /** As found by a group after {@code written} has committed, with offset {@code base} open. */
    private int processedWith(String group, long base, long highest, String cluster, String written, String prefix)
            throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 100, 10));
        int before = ledger.count();
        commit(group, topic, base, highest, cluster, written, prefix);
        start(group, new ContainerProperties(topic));
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed(group, topic, 0) == 100);
        return ledger.count() - before;
    }

    private void start(String group, ContainerProperties properties) {
        properties.setGroupId(group);
        containers
                .container(
                        group, properties, containers.executor(2), Map.of(), record -> ledger.process(record, () -> {}))
                .start();
    }

    private static void commit(
            String group, String topic, long base, long highest, String cluster, String written, String prefix)
            throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        String metadata = prefix
                + new CommitMetadata(base, highest, 0, new long[] {base})
                        .encode(4096, new Scope(cluster, written, partition));
        Broker.admin()
                .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(0, metadata)))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    void onlyWhatIsCertainlyOursIsBelieved() throws Exception {
        String cluster = Broker.admin().describeCluster().clusterId().get(30, TimeUnit.SECONDS);
        // offset 0 is open, 1 to 59 are settled
        assertThat(processedWith("ours", 0, 59, cluster, "ours", "")).isEqualTo(41);
        assertThat(processedWith("translated", 7, 59, cluster, "translated", ""))
                .isEqualTo(100);
        assertThat(processedWith("mirrored", 0, 59, "another", "mirrored", "")).isEqualTo(100);
        assertThat(processedWith("copied", 0, 59, cluster, "ours", "")).isEqualTo(100);
        assertThat(processedWith("beyond-the-end", 0, 100, cluster, "beyond-the-end", ""))
                .isEqualTo(100);
        assertThat(processedWith("somebody-elses", 0, 59, cluster, "somebody-elses", "x"))
                .isEqualTo(100);
    }

    /** The application says where to begin: what it asks for has to run, settled or not. */
    @Test
    void nothingIsBelievedBesideAnInitialOffset() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(ledger.next(topic, 100, 10));
        String cluster = Broker.admin().describeCluster().clusterId().get(30, TimeUnit.SECONDS);
        commit("by-hand", topic, 0, 99, cluster, "by-hand", "");
        start("by-hand", new ContainerProperties(new TopicPartitionOffset(topic, 0, 50L)));
        await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("by-hand", topic, 0) == 100);
        assertThat(ledger.count()).isEqualTo(50);
        assertThat(ledger.of("key-0")).containsExactly(5, 6, 7, 8, 9);
    }
}
