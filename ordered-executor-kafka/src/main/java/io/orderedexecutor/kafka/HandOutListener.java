package io.orderedexecutor.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;

/** The listener that Spring's container calls. It hands records out and returns at once. */
abstract sealed class HandOutListener<K, V> implements BatchMessageListener<K, V>
        permits HandOutListener.Seeking, HandOutListener.NotSeeking {
    private final MessageListener<K, V> listener;
    private final Function<Consumer<?, ?>, Turn<K, V>> turns;

    private HandOutListener(MessageListener<K, V> listener, Function<Consumer<?, ?>, Turn<K, V>> turns) {
        this.listener = listener;
        this.turns = turns;
    }

    /** Returns the listener of the endpoint. */
    MessageListener<K, V> listener() {
        return listener;
    }

    @Override
    public boolean wantsPollResult() {
        return true;
    }

    @Override
    public void onMessage(
            ConsumerRecords<K, V> records, @Nullable Acknowledgment acknowledgment, Consumer<K, V> consumer) {
        turns.apply(consumer).handOut(records);
    }

    @Override
    public void onMessage(List<ConsumerRecord<K, V>> records) {
        throw new UnsupportedOperationException("this listener accepts only the whole result of a poll");
    }

    /**
     * For listeners that seek. Not for other listeners: if a listener is {@link ConsumerSeekAware}, the container asks
     * for positions in a callback, which should not wait.
     */
    static final class Seeking<K, V> extends HandOutListener<K, V> implements ConsumerSeekAware {
        private final ConsumerSeekAware seekAware;

        Seeking(
                MessageListener<K, V> listener,
                Function<Consumer<?, ?>, Turn<K, V>> turns,
                ConsumerSeekAware seekAware) {
            super(listener, turns);
            this.seekAware = seekAware;
        }

        @Override
        public void registerSeekCallback(ConsumerSeekCallback callback) {
            seekAware.registerSeekCallback(callback);
        }

        @Override
        public void unregisterSeekCallback() {
            seekAware.unregisterSeekCallback();
        }

        @Override
        public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            seekAware.onPartitionsAssigned(assignments, callback);
        }

        @Override
        public void onPartitionsRevoked(@Nullable Collection<TopicPartition> partitions) {
            seekAware.onPartitionsRevoked(partitions);
        }

        @Override
        public void onIdleContainer(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            seekAware.onIdleContainer(assignments, callback);
        }

        @Override
        public void onFirstPoll() {
            seekAware.onFirstPoll();
        }
    }

    /** For all other listeners. */
    static final class NotSeeking<K, V> extends HandOutListener<K, V> {
        NotSeeking(MessageListener<K, V> listener, Function<Consumer<?, ?>, Turn<K, V>> turns) {
            super(listener, turns);
        }
    }
}
