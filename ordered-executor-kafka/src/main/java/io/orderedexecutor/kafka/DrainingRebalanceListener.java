package io.orderedexecutor.kafka;

import java.util.Collection;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;

/**
 * Drains and commits before partitions are revoked, and then calls the listener of the application. Nothing depends on
 * the callback for assigned partitions: Kafka repeats it without the partitions if a wake-up interrupts it.
 */
final class DrainingRebalanceListener implements ConsumerAwareRebalanceListener {
    private final Function<Consumer<?, ?>, ? extends @Nullable Turn<?, ?>> turns;
    private final @Nullable ConsumerRebalanceListener application;

    private DrainingRebalanceListener(
            Function<Consumer<?, ?>, ? extends @Nullable Turn<?, ?>> turns,
            @Nullable ConsumerRebalanceListener application) {
        this.turns = turns;
        this.application = application;
    }

    static DrainingRebalanceListener around(
            @Nullable ConsumerRebalanceListener application,
            Function<Consumer<?, ?>, ? extends @Nullable Turn<?, ?>> turns) {
        return new DrainingRebalanceListener(turns, applications(application));
    }

    /** Returns the listener of the application, even if it is wrapped in one of ours. */
    static @Nullable ConsumerRebalanceListener applications(@Nullable ConsumerRebalanceListener listener) {
        return listener instanceof DrainingRebalanceListener ours ? ours.application : listener;
    }

    @Override
    public void onPartitionsRevokedBeforeCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        Turn<?, ?> turn = turns.apply(consumer);
        if (turn != null) {
            turn.revoke(partitions);
        }
        if (application instanceof ConsumerAwareRebalanceListener aware) {
            aware.onPartitionsRevokedBeforeCommit(consumer, partitions);
        } else if (application != null) {
            application.onPartitionsRevoked(partitions);
        }
    }

    @Override
    public void onPartitionsRevokedAfterCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        if (application instanceof ConsumerAwareRebalanceListener aware) {
            aware.onPartitionsRevokedAfterCommit(consumer, partitions);
        }
    }

    @Override
    public void onPartitionsLost(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        Turn<?, ?> turn = turns.apply(consumer);
        if (turn != null) {
            turn.lose(partitions);
        }
        if (application instanceof ConsumerAwareRebalanceListener aware) {
            aware.onPartitionsLost(consumer, partitions);
        } else if (application != null) {
            application.onPartitionsLost(partitions);
        }
    }

    @Override
    public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        Turn<?, ?> turn = turns.apply(consumer);
        if (turn != null) {
            turn.assigned(partitions);
        }
        if (application instanceof ConsumerAwareRebalanceListener aware) {
            aware.onPartitionsAssigned(consumer, partitions);
        } else if (application != null) {
            application.onPartitionsAssigned(partitions);
        }
    }
}
