package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * The {@link Turn} of each consumer of a container, from its first poll to its stop. A container may be started again
 * while consumers of the last start still drain: each keeps the settings with which it began.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class ConsumerTurns<K, V> {
    /** Written by the consumers' threads; concurrent, since other threads read it. */
    private final Map<Consumer<?, ?>, Turn<K, V>> turns = new ConcurrentHashMap<>();

    /**
     * The child container whose consumer a thread polls. The child knows which partitions the application has paused.
     * This needs no lifecycle lock, which a thread that waits for the consumer may hold.
     */
    private final Map<Thread, AbstractMessageListenerContainer<?, ?>> children = new ConcurrentHashMap<>();

    /** The objects of the current start. Written before the consumers' threads begin. */
    private volatile @Nullable Start<K, V> start;

    /**
     * The objects that the consumers of one start share.
     *
     * @param silence how long the thread of a consumer may be inactive until the consumer may have lost its partitions
     */
    record Start<K, V>(
            ListenerSetup setup,
            RecordListener<K, V> listener,
            ClusterId clusterId,
            Turn.Places places,
            Duration silence) {}

    /** Sets the objects for the consumers of the next start. Called before the consumers' threads begin. */
    void start(Start<K, V> next) {
        start = next;
    }

    /** Registers the child container of a consumer. Called by the consumer's thread before its first poll. */
    void started(AbstractMessageListenerContainer<?, ?> child) {
        children.put(Thread.currentThread(), child);
    }

    /**
     * Returns the turn of a consumer, and creates it if there is none. Called by the consumer's thread before and after
     * a poll.
     */
    Turn<K, V> of(Consumer<?, ?> consumer) {
        return turns.computeIfAbsent(consumer, this::create);
    }

    /** Returns the turn of a consumer; null if the consumer has not polled yet, or was stopped. */
    @Nullable
    Turn<K, V> find(Consumer<?, ?> consumer) {
        return turns.get(consumer);
    }

    /**
     * Stops the turn of a consumer. Called by the consumer's thread when it does not poll any more and the consumer is
     * still open.
     */
    void stopping(Consumer<?, ?> consumer) {
        Turn<K, V> turn = turns.get(consumer);
        try {
            if (turn != null) {
                turn.stop();
            }
        } finally {
            turns.remove(consumer);
            children.remove(Thread.currentThread());
        }
    }

    /** Returns all turns. Called by any thread. */
    Collection<Turn<K, V>> all() {
        return turns.values();
    }

    private Turn<K, V> create(Consumer<?, ?> consumer) {
        Start<K, V> now = start;
        if (now == null) {
            throw new IllegalStateException("The container was not started");
        }
        RecordRunner<K, V> runner = new RecordRunner<>(
                now.setup(),
                now.listener(),
                clientId(consumer),
                WorkerConsumer.of(consumer),
                new Membership(now.silence(), System::currentTimeMillis));
        return new Turn<>(
                consumer,
                now.setup(),
                runner,
                now.clusterId(),
                pausedBy(children.get(Thread.currentThread())),
                now.places());
    }

    private static Predicate<TopicPartition> pausedBy(@Nullable AbstractMessageListenerContainer<?, ?> child) {
        return child == null
                ? partition -> false
                : partition -> child.isPauseRequested() || child.isPartitionPauseRequested(partition);
    }

    private static String clientId(Consumer<?, ?> consumer) {
        return consumer.metrics().keySet().stream()
                .map(metric -> metric.tags().getOrDefault("client-id", ""))
                .filter(id -> !id.isEmpty())
                .findFirst()
                .orElse("");
    }
}
