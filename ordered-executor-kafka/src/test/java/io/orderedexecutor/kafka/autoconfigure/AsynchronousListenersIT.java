package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
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
    static class Stopping {
        final List<String> values = new CopyOnWriteArrayList<>();
        final CountDownLatch stopped = new CountDownLatch(1);

        @Autowired
        KafkaListenerEndpointRegistry registry;

        @KafkaListener(id = "stopping", topics = "${topic}")
        @OrderedByKey
        CompletableFuture<Void> on(String value) {
            return CompletableFuture.runAsync(() -> {
                values.add(value);
                if (value.equals("1")) {
                    registry.getListenerContainer("stopping").stop(stopped::countDown);
                }
            });
        }
    }

    /** It is on a thread of which we know nothing: who waits there for the stop waits for the record that waits. */
    @Test
    void aStageMayStopItsContainerIfItDoesNotWaitForThat() throws Exception {
        String topic = Broker.topic(1);
        OrderedByKeyIT.send(topic, 5, 1);
        try (var context = OrderedByKeyIT.run(Stopping.class, topic)) {
            Stopping listener = context.getBean(Stopping.class);
            assertThat(listener.stopped.await(30, TimeUnit.SECONDS)).isTrue();
            int ran = listener.values.size();
            assertThat(Broker.committed("stopping", topic, 0)).isEqualTo(ran);
            listener.registry.getListenerContainer("stopping").start();
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("stopping", topic, 0) == 5);
            assertThat(listener.values).containsExactly("0", "1", "2", "3", "4");
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
