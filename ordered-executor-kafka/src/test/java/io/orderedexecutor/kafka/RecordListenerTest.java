package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.listener.adapter.RecordMessagingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/** What surrounds a call of the listener. */
class RecordListenerTest {
    private static final ConsumerRecord<String, String> RECORD = new ConsumerRecord<>("orders", 0, 0, "alice", "book");

    private final List<String> called = new ArrayList<>();
    private final List<@Nullable Throwable> ends = new ArrayList<>();

    private void call(RecordInterceptor<String, String> interceptor) {
        call(interceptor, ObservationRegistry.NOOP, registry -> Observation.NOOP);
    }

    private void call(
            @Nullable RecordInterceptor<String, String> interceptor,
            ObservationRegistry registry,
            Function<ObservationRegistry, Observation> observations) {
        new RecordListener<String, String>(
                        record -> called.add(record.value()),
                        registry,
                        (record, clientId, real) -> observations.apply(real),
                        () -> interceptor,
                        "group")
                .call(RECORD, "client", new MockConsumer<>("earliest"), ends::add);
    }

    /** An adapter of Spring that calls no method, as that of Spring Integration. */
    @Test
    void aCallOfAnAdapterThatAsksForNoObservationEndsWithIt() {
        RecordMessagingMessageListenerAdapter<String, String> adapter =
                new RecordMessagingMessageListenerAdapter<>(null, null) {
                    @Override
                    public void onMessage(
                            ConsumerRecord<String, String> record,
                            @Nullable Acknowledgment acknowledgment,
                            @Nullable Consumer<?, ?> consumer) {
                        called.add(record.value());
                    }
                };
        new RecordListener<>(
                        adapter,
                        ObservationRegistry.NOOP,
                        (record, clientId, real) -> Observation.NOOP,
                        () -> null,
                        "group")
                .call(RECORD, "client", new MockConsumer<>("earliest"), ends::add);
        assertThat(called).containsExactly("book");
        assertThat(ends).containsExactly((Throwable) null);
    }

    /** Calls what it is asked for, and the record goes through as it is. */
    private static class Passing implements RecordInterceptor<String, String> {
        @Override
        public ConsumerRecord<String, String> intercept(
                ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            return record;
        }
    }

    @Test
    void aFailureToClearTheThreadIsNoFailureOfTheRecord() {
        call(new Passing() {
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
        call(new Passing() {
            @Override
            public void setupThreadState(Consumer<?, ?> consumer) {
                throw failure;
            }
        });
        assertThat(called).isEmpty();
        assertThat(ends).containsExactly(failure);
    }

    @Test
    @DisplayName(
            "what an interceptor throws after a record is no failure of the record, and it may tidy up all the same")
    void aFailureAfterTheRecord() {
        List<String> told = new ArrayList<>();
        call(new Passing() {
            @Override
            public void success(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                told.add("success");
                throw new IllegalStateException("in the test");
            }

            @Override
            public void afterRecord(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                told.add("after");
                throw new IllegalStateException("in the test");
            }
        });
        assertThat(called).containsExactly("book");
        assertThat(ends).containsExactly((Throwable) null);
        assertThat(told).containsExactly("success", "after");
    }

    @ParameterizedTest
    @ValueSource(strings = {"opened", "closed"})
    @DisplayName("a thread whose scope could not be opened or closed is in none after the record")
    void noScopeIsLeft(String where) {
        ObservationRegistry registry = ObservationRegistry.create();
        FailingHandler.in(registry, where);
        call(null, registry, real -> Observation.createNotStarted("record", real));
        assertThat(called).containsExactly("book");
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("the observation of a record that has failed is stopped, even if its failure cannot be told to it")
    void aFailureThatCannotBeTold(boolean byHandler) {
        ObservationRegistry registry = ObservationRegistry.create();
        FailingHandler handler = FailingHandler.in(registry, "error");
        RuntimeException failure = new IllegalStateException("of the record") {
            @Override
            public synchronized Throwable getCause() {
                if (byHandler) {
                    return null;
                }
                throw new IllegalArgumentException("no cause");
            }
        };
        call(
                new Passing() {
                    @Override
                    public void setupThreadState(Consumer<?, ?> consumer) {
                        throw failure;
                    }
                },
                registry,
                real -> Observation.createNotStarted("record", real));
        assertThat(ends).containsExactly(failure);
        assertThat(handler.told).containsOnlyOnce("error", "stop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"made", "start", "opened", "stop"})
    @DisplayName("a record runs and is settled, whatever its observation and the handlers of observations throw")
    void observationsDecideNothing(String where) {
        ObservationRegistry registry = ObservationRegistry.create();
        FailingHandler handler = FailingHandler.in(registry, where);
        try (LogLines log = new LogLines(CallRegistry.class.getName())) {
            call(null, registry, real -> {
                if (where.equals("made")) {
                    throw new IllegalStateException("in the test");
                }
                return Observation.createNotStarted("record", real);
            });
            assertThat(log.lines()).singleElement().asString().startsWith("ERROR ");
        }
        assertThat(called).containsExactly("book");
        assertThat(ends).containsExactly((Throwable) null);
        assertThat(handler.told)
                .filteredOn(told -> !told.equals("closed"))
                .containsExactlyElementsOf(where.equals("made") ? List.of() : List.of("start", "opened", "stop"));
    }
}
