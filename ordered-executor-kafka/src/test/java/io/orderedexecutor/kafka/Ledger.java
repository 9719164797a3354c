package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What was sent, and what was processed: each record counts up within its key. Tells loss, repetition, disorder and
 * overlap.
 */
final class Ledger {
    private final Map<String, AtomicInteger> sent = new HashMap<>();
    private final Map<String, List<Integer>> processed = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final List<String> overlaps = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger count = new AtomicInteger();

    /** The next record of a key. */
    ProducerRecord<String, String> next(String topic, String key) {
        int number = sent.computeIfAbsent(key, each -> new AtomicInteger()).getAndIncrement();
        return new ProducerRecord<>(topic, key, Integer.toString(number));
    }

    List<ProducerRecord<String, String>> next(String topic, int records, int keys) {
        List<ProducerRecord<String, String>> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            all.add(next(topic, "key-" + i % keys));
        }
        return all;
    }

    /** Runs a record's work and notes it as processed if that does not fail. */
    void process(ConsumerRecord<String, String> record, Runnable work) {
        AtomicInteger now = running.computeIfAbsent(record.key(), each -> new AtomicInteger());
        if (now.incrementAndGet() != 1) {
            overlaps.add(record.key() + "/" + record.value());
        }
        try {
            work.run();
            processed
                    .computeIfAbsent(record.key(), each -> Collections.synchronizedList(new ArrayList<>()))
                    .add(Integer.valueOf(record.value()));
            count.incrementAndGet();
        } finally {
            now.decrementAndGet();
        }
    }

    int count() {
        return count.get();
    }

    List<Integer> of(String key) {
        return List.copyOf(processed.getOrDefault(key, List.of()));
    }

    /** All that was sent was processed, once, in order, one at a time. */
    void assertExactlyOnce() {
        assertThat(overlaps).isEmpty();
        sent.forEach((key, number) -> assertThat(of(key))
                .as(key)
                .containsExactlyElementsOf(java.util.stream.IntStream.range(0, number.get())
                        .boxed()
                        .toList()));
        assertThat(count())
                .isEqualTo(sent.values().stream().mapToInt(AtomicInteger::get).sum());
    }

    /** All that was sent was processed, the first time in order. */
    int assertAtLeastOnce() {
        assertThat(overlaps).isEmpty();
        sent.forEach((key, number) -> {
            List<Integer> first = of(key).stream().distinct().toList();
            assertThat(first)
                    .as(key)
                    .containsExactlyElementsOf(java.util.stream.IntStream.range(0, number.get())
                            .boxed()
                            .toList());
        });
        return count() - sent.values().stream().mapToInt(AtomicInteger::get).sum();
    }
}
