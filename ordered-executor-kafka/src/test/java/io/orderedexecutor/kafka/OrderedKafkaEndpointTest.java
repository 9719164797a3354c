package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.PartitionSnapshot.RecordSnapshot;
import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;

/** What an operator sees of parked records. */
class OrderedKafkaEndpointTest {

    @Test
    @DisplayName("a parked record is shown, even if neither its key nor its failure can be printed")
    void unprintable() {
        Object key = new Object() {
            @Override
            public String toString() {
                throw new IllegalArgumentException("no text");
            }
        };
        RecordSnapshot parked = new RecordSnapshot(7, key, "parked", Duration.ofSeconds(1), 3, new Unprintable());
        var container =
                new OrderedMessageListenerContainer<Object, Object>(
                        new DefaultKafkaConsumerFactory<>(Map.of()),
                        new ContainerProperties("orders"),
                        StripedExecutor.builder().executor(Runnable::run).build()) {
                    @Override
                    public List<PartitionSnapshot> partitions() {
                        return List.of(new PartitionSnapshot(
                                new TopicPartition("orders", 0), 7, 7, 8, 1, 0, false, parked, List.of(parked)));
                    }
                };
        var endpoint = new OrderedKafkaEndpoint(() -> Map.of("orders", container), Show.ALWAYS, Set.of(), List.of());
        var shown = endpoint.listener(SecurityContext.NONE, "orders");
        assertThat(shown).isNotNull();
        assertThat(shown.partitions().get("orders-0").parked()).singleElement().satisfies(record -> {
            assertThat(record.offset()).isEqualTo(7);
            assertThat(record.state()).isEqualTo("parked");
            assertThat(record.failure()).isEqualTo(Unprintable.class.getName());
            assertThat(record.message()).isEqualTo(Unprintable.class.getName() + ", which cannot be printed");
            assertThat(record.key()).isEqualTo(key.getClass().getName() + ", which cannot be printed");
        });
        // it is parked, and still nothing is done: so it is when its partition is being revoked
        assertThatThrownBy(() -> endpoint.act("orders", "orders-0", 7, ParkedAction.RESUME))
                .hasMessageContaining("It is parked, but its partition is being given up");
    }
}
