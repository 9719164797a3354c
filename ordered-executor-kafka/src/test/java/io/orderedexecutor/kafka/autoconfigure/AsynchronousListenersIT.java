package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Listeners that return a {@code Mono}, and listeners on virtual threads. */
class AsynchronousListenersIT {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Reactive {
        final List<Sinks.One<String>> calls = new CopyOnWriteArrayList<>();
        final List<String> values = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "reactive", topics = "${topic}")
        @OrderedByKey
        Mono<String> on(String value) {
            values.add(value);
            Sinks.One<String> call = Sinks.one();
            calls.add(call);
            return call.asMono();
        }
    }

    /** As a future: it is subscribed to, held while it is open, and run again when it fails. */
    @Test
    void theKeyIsHeldUntilTheMonoIsComplete() throws Exception {
        String topic = Broker.topic(1);
        OrderedByKeyIT.send(topic, 2, 1);
        try (var context = OrderedByKeyIT.run(Reactive.class, topic)) {
            Reactive listener = context.getBean(Reactive.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.calls.size() == 1);
            listener.calls.get(0).tryEmitError(new IllegalStateException("the first attempt"));
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.calls.size() == 2);
            assertThat(listener.values).containsExactly("0", "0");
            assertThat(Broker.committed("reactive", topic, 0)).isLessThanOrEqualTo(0);
            listener.calls.get(1).tryEmitEmpty();
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.calls.size() == 3);
            assertThat(listener.values).containsExactly("0", "0", "1");
            listener.calls.get(2).tryEmitEmpty();
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("reactive", topic, 0) == 2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Virtual {
        final List<Boolean> virtual = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "virtual", topics = "${topic}")
        @OrderedByKey
        void on(String value) throws Exception {
            virtual.add((Boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread()));
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void recordsRunOnVirtualThreads() throws Exception {
        String topic = Broker.topic(1);
        OrderedByKeyIT.send(topic, 20, 4);
        try (var context = OrderedByKeyIT.run(Virtual.class, topic, "spring.threads.virtual.enabled=true")) {
            Virtual listener = context.getBean(Virtual.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("virtual", topic, 0) == 20);
            assertThat(listener.virtual).hasSize(20).containsOnly(true);
        }
    }
}
