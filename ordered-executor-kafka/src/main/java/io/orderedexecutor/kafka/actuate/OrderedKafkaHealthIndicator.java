package io.orderedexecutor.kafka.actuate;

import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.kafka.PartitionSnapshot;
import io.orderedexecutor.kafka.PartitionSnapshot.RecordSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Down while a listener has stopped itself, while the number of parked records of a listener has reached its threshold,
 * or while one record holds up the commits of its partition for too long.
 */
public final class OrderedKafkaHealthIndicator extends AbstractHealthIndicator {
    private final OrderedListeners listeners;
    private final int parkedThreshold;
    private final @Nullable Duration heldThreshold;

    /**
     * Creates an indicator.
     *
     * @param listeners the listeners
     * @param parkedThreshold the number of parked records from which on a listener is down; 0 for no limit
     * @param heldThreshold how long a record may hold up the commits of its partition; null for no limit
     */
    public OrderedKafkaHealthIndicator(
            OrderedListeners listeners, int parkedThreshold, @Nullable Duration heldThreshold) {
        super("Health check of ordered Kafka listeners failed");
        this.listeners = listeners;
        this.parkedThreshold = parkedThreshold;
        this.heldThreshold = heldThreshold;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> reasons = new ArrayList<>();
        listeners.byId().forEach((id, container) -> {
            int parked = 0;
            for (PartitionSnapshot partition : container.partitions()) {
                parked += partition.parked().size();
                lookAtOldest(id, container, partition, reasons);
            }
            builder.withDetail(id, parked + " parked");
            if (!container.isInExpectedState()) {
                reasons.add("listener '" + id
                        + "' has stopped itself because of a failure that is logged as an ERROR; no record is lost, "
                        + "and a restarted listener continues where it stopped");
            }
            if (parkedThreshold > 0 && parked >= parkedThreshold) {
                reasons.add("listener '" + id + "' has " + parked
                        + " parked records, which wait for resume, dead-letter or skip at the endpoint 'orderedkafka'");
            }
        });
        if (reasons.isEmpty()) {
            builder.up();
        } else {
            builder.down().withDetail("reason", String.join("; ", reasons));
        }
    }

    private void lookAtOldest(
            String id,
            OrderedMessageListenerContainer<?, ?> container,
            PartitionSnapshot partition,
            List<String> reasons) {
        RecordSnapshot oldest = partition.oldest();
        if (heldThreshold != null && oldest != null && oldest.age().compareTo(heldThreshold) > 0) {
            reasons.add("listener '" + id + "': offset " + oldest.offset() + " of " + partition.partition() + " is "
                    + oldest.state()
                    + " and has held up the commits for longer than " + heldThreshold
                    + (container.getExecutor().control().isPaused() ? "; its executor is paused" : ""));
        }
    }
}
