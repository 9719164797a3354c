package io.orderedexecutor.kafka;

import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.listener.BatchInterceptor;

/**
 * Runs the turn of a consumer before each poll. The container calls {@code setupThreadState} before each poll, even
 * after a poll that returned no records.
 */
record TurnInterceptor<K, V>(
        Function<Consumer<?, ?>, Turn<K, V>> turns, java.util.function.Consumer<Throwable> onFailure)
        implements BatchInterceptor<K, V> {

    @Override
    public void setupThreadState(Consumer<?, ?> consumer) {
        try {
            turns.apply(consumer).before();
        } catch (Throwable failure) {
            // the container would call this again at once, for ever
            onFailure.accept(failure);
        }
    }

    @Override
    public ConsumerRecords<K, V> intercept(ConsumerRecords<K, V> records, Consumer<K, V> consumer) {
        return records;
    }
}
