package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.RecordInterceptor;

/** What surrounds a call of the listener. */
class RecordListenerTest {
    private static final ConsumerRecord<String, String> RECORD = new ConsumerRecord<>("orders", 0, 0, "alice", "book");

    private final List<String> called = new ArrayList<>();
    private final List<@Nullable Throwable> ends = new ArrayList<>();

    private void call(RecordInterceptor<String, String> interceptor) {
        new RecordListener<String, String>(
                        record -> called.add(record.value()),
                        ObservationRegistry.NOOP,
                        (record, clientId, registry) -> Observation.NOOP,
                        () -> interceptor,
                        "group")
                .call(RECORD, "client", new MockConsumer<>("earliest"), ends::add);
    }

    @Test
    void aFailureToClearTheThreadIsNoFailureOfTheRecord() {
        call(new RecordInterceptor<>() {
            @Override
            public ConsumerRecord<String, String> intercept(
                    ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                return record;
            }

            @Override
            public void clearThreadState(Consumer<?, ?> consumer) {
                throw new IllegalStateException("in the test");
            }
        });
        assertThat(called).containsExactly("book");
        assertThat(ends).containsExactly((Throwable) null);
    }

    @Test
    void aFailureToSetTheThreadUpIsOneOfTheRecord() {
        IllegalStateException failure = new IllegalStateException("in the test");
        call(new RecordInterceptor<>() {
            @Override
            public ConsumerRecord<String, String> intercept(
                    ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                return record;
            }

            @Override
            public void setupThreadState(Consumer<?, ?> consumer) {
                throw failure;
            }
        });
        assertThat(called).isEmpty();
        assertThat(ends).containsExactly(failure);
    }
}
