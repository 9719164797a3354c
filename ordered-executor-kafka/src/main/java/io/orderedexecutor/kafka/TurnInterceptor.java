package io.orderedexecutor.kafka;

import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.listener.BatchInterceptor;

/** The container calls it before each poll, also those that return nothing. */
record TurnInterceptor<K, V>(Function<Consumer<?, ?>, Turn<K, V>> turns) implements BatchInterceptor<K, V> {

    @Override
    public void setupThreadState(Consumer<?, ?> consumer) {
        turns.apply(consumer).before();
    }

    @Override
    public ConsumerRecords<K, V> intercept(ConsumerRecords<K, V> records, Consumer<K, V> consumer) {
        return records;
    }
}
