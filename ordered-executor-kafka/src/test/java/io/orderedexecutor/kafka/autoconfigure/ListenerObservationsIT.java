package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.micrometer.KafkaRecordReceiverContext;

/** The usual observation of a listener: one around each attempt, on the worker, with the trace of the record. */
class ListenerObservationsIT {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Observed {
        final List<String> events = new CopyOnWriteArrayList<>();
        private final AtomicInteger calls = new AtomicInteger();

        @Bean
        ObservationRegistry observationRegistry() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new Handler(events));
            return registry;
        }

        @KafkaListener(id = "observed", topics = "${topic}")
        @OrderedByKey
        void on(ConsumerRecord<String, String> record) {
            events.add("run " + record.value());
            if (calls.incrementAndGet() == 1) {
                throw new IllegalArgumentException("the first attempt");
            }
        }
    }

    /** Reads what a tracer would read of the record. */
    private record Handler(List<String> events) implements ObservationHandler<KafkaRecordReceiverContext> {
        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof KafkaRecordReceiverContext;
        }

        @Override
        public void onStart(KafkaRecordReceiverContext context) {
            events.add("start " + context.getName() + " of " + context.getListenerId() + " in trace "
                    + context.getGetter().get(context.getCarrier(), "traceparent") + " on "
                    + Thread.currentThread().getName().replaceAll("[^a-zA-Z].*", ""));
        }

        @Override
        public void onError(KafkaRecordReceiverContext context) {
            events.add("error " + context.getError().getMessage());
        }

        @Override
        public void onStop(KafkaRecordReceiverContext context) {
            events.add("stop");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Disturbed {
        final List<String> values = new CopyOnWriteArrayList<>();

        @Bean
        ObservationRegistry observationRegistry() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ThrowingHandler());
            return registry;
        }

        @KafkaListener(id = "disturbed", topics = "${topic}")
        @OrderedByKey
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            values.add(record.value());
            return values.size() > 1
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new IllegalArgumentException("the first attempt"));
        }
    }

    private record ThrowingHandler() implements ObservationHandler<Observation.Context> {
        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof KafkaRecordReceiverContext;
        }

        @Override
        public void onError(Observation.Context context) {
            throw new IllegalStateException("a handler that does not work");
        }
    }

    /** The adapter would not tell the failure, and the record would count as processed. */
    @Test
    void aHandlerThatThrowsTurnsNoFailureIntoASuccess() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(new ProducerRecord<>(topic, "key", "value")));
        try (var context = OrderedByKeyIT.run(
                Disturbed.class,
                topic,
                "spring.kafka.listener.observation-enabled=true",
                "ordered-executor.kafka.listeners.disturbed.executor=orders")) {
            Disturbed listener = context.getBean(Disturbed.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("disturbed", topic, 0) == 1);
            assertThat(listener.values).containsExactly("value", "value");
        }
    }

    @Test
    void oneForEachAttempt() throws Exception {
        String topic = Broker.topic(1);
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, "key", "value");
        record.headers().add("traceparent", "trace-1".getBytes(StandardCharsets.UTF_8));
        Broker.send(List.of(record));
        try (var context = OrderedByKeyIT.run(
                Observed.class,
                topic,
                "spring.kafka.listener.observation-enabled=true",
                "ordered-executor.kafka.listeners.observed.executor=orders")) {
            Observed listener = context.getBean(Observed.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("observed", topic, 0) == 1);
            String start = "start spring.kafka.listener of observed in trace trace-1 on orders";
            assertThat(listener.events)
                    .containsExactly(start, "run value", "error the first attempt", "stop", start, "run value", "stop");
        }
    }
}
