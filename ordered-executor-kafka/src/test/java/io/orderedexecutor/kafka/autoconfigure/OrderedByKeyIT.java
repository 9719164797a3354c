package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.listener.adapter.RecordFilterStrategy;
import org.springframework.messaging.handler.annotation.SendTo;

/** An application with ordered listeners. */
class OrderedByKeyIT {

    static ConfigurableApplicationContext run(Class<?> configuration, String topic, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "spring.kafka.bootstrap-servers=" + Broker.servers(),
                "spring.kafka.consumer.group-id=" + topic,
                "spring.kafka.consumer.auto-offset-reset=earliest",
                "spring.main.banner-mode=off",
                "ordered-executor.striped.orders.threads=8",
                "ordered-executor.kafka.commit-interval=100ms",
                "ordered-executor.kafka.retry.delay=10ms",
                "topic=" + topic));
        properties.addAll(List.of(more));
        return new SpringApplicationBuilder(configuration)
                .properties(properties.toArray(String[]::new))
                .run();
    }

    static void send(String topic, int records, int keys) throws Exception {
        List<ProducerRecord<String, String>> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            all.add(new ProducerRecord<>(topic, "key-" + i % keys, Integer.toString(i)));
        }
        Broker.send(all);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Annotated {
        final List<String> done = new CopyOnWriteArrayList<>();
        final Map<String, String> threads = new ConcurrentHashMap<>();
        final CountDownLatch atOnce = new CountDownLatch(4);
        final List<CompletableFuture<String>> futures = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "orders", topics = "${topic}")
        @OrderedByKey
        void on(ConsumerRecord<String, String> record) throws InterruptedException {
            threads.put(record.key(), Thread.currentThread().getName());
            atOnce.countDown();
            assertThat(atOnce.await(30, TimeUnit.SECONDS)).isTrue();
            done.add(record.key() + "/" + record.value());
        }
    }

    @Test
    void recordsOfOnePartitionRunOnTheNamedExecutorInOrderOfTheirKeys() throws Exception {
        String topic = Broker.topic(1);
        send(topic, 40, 4);
        try (var context = run(Annotated.class, topic, "ordered-executor.kafka.listeners.orders.executor=orders")) {
            Annotated listener = context.getBean(Annotated.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.done.size() == 40);
            assertThat(listener.threads.values()).allMatch(name -> name.startsWith("orders"));
            for (int key = 0; key < 4; key++) {
                String prefix = "key-" + key + "/";
                assertThat(listener.done.stream()
                                .filter(each -> each.startsWith(prefix))
                                .map(each -> Integer.parseInt(each.substring(prefix.length()))))
                        .isSorted()
                        .hasSize(10);
            }
            StripedExecutor orders = context.getBean("orders", StripedExecutor.class);
            // a listener may have ended before its task is counted
            assertThat(orders.awaitIdle(Duration.ofSeconds(30))).isTrue();
            assertThat(orders.inspect().stats().completed()).isEqualTo(40);
            assertThat(context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("orders"))
                    .isInstanceOf(OrderedMessageListenerContainer.class);
        }
        assertThat(Broker.committed("orders", topic, 0)).isEqualTo(40);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Asynchronous {
        final List<CompletableFuture<String>> futures = new CopyOnWriteArrayList<>();
        final List<String> replies = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "async", topics = "${topic}")
        @OrderedByKey(key = "#key.length()")
        @SendTo("${topic}-replies")
        CompletableFuture<String> on(String value) {
            CompletableFuture<String> future = new CompletableFuture<>();
            futures.add(future);
            return future;
        }

        @KafkaListener(id = "replies", topics = "${topic}-replies")
        void onReply(String value) {
            replies.add(value);
        }
    }

    @Test
    void theKeyIsHeldUntilTheFutureIsComplete() throws Exception {
        String topic = Broker.topic(1);
        Broker.create(topic + "-replies", 1);
        send(topic, 3, 3);
        try (var context = run(Asynchronous.class, topic)) {
            Asynchronous listener = context.getBean(Asynchronous.class);
            // all keys have five letters: one order
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.futures.size() == 1);
            listener.futures.get(0).completeExceptionally(new IllegalStateException("the first attempt"));
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.futures.size() == 2);
            assertThat(Broker.committed("async", topic, 0)).isLessThanOrEqualTo(0);
            for (int i = 1; i < 4; i++) {
                int next = i;
                await().atMost(Duration.ofSeconds(30)).until(() -> listener.futures.size() == next + 1);
                assertThat(listener.futures).hasSize(next + 1);
                listener.futures.get(i).complete("reply " + i);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.replies.size() == 3);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("async", topic, 0) == 3);
            assertThat(listener.replies).containsExactly("reply 1", "reply 2", "reply 3");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithEverything {
        final List<String> done = new CopyOnWriteArrayList<>();
        final List<String> intercepted = new CopyOnWriteArrayList<>();
        final List<String> refused = new CopyOnWriteArrayList<>();

        @Bean
        RecordFilterStrategy<Object, Object> filter() {
            return record -> Integer.parseInt(String.valueOf(record.value())) % 2 == 1;
        }

        @Bean
        RecordInterceptor<Object, Object> interceptor() {
            return new RecordInterceptor<>() {
                @Override
                public ConsumerRecord<Object, Object> intercept(
                        ConsumerRecord<Object, Object> record, Consumer<Object, Object> consumer) {
                    try {
                        consumer.commitSync();
                    } catch (UnsupportedOperationException e) {
                        refused.add(Thread.currentThread().getName());
                    }
                    return record;
                }

                @Override
                public void afterRecord(ConsumerRecord<Object, Object> record, Consumer<Object, Object> consumer) {
                    intercepted.add(String.valueOf(record.value()));
                }
            };
        }

        @Bean
        Handlers handlers() {
            return new Handlers(done);
        }
    }

    @KafkaListener(id = "handlers", topics = "${topic}")
    @OrderedByKey
    record Handlers(List<String> done) {
        @KafkaHandler
        void on(String value) {
            done.add(value);
        }
    }

    @Test
    void filtersInterceptorsAndHandlersWork() throws Exception {
        String topic = Broker.topic(1);
        send(topic, 20, 2);
        try (var context = run(WithEverything.class, topic)) {
            WithEverything listener = context.getBean(WithEverything.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> Broker.committed("handlers", topic, 0) == 20);
            assertThat(listener.done).hasSize(10).allMatch(value -> Integer.parseInt(value) % 2 == 0);
            assertThat(listener.intercepted).hasSize(20);
            assertThat(listener.refused).hasSize(20).allMatch(name -> name.startsWith("kafka-handlers"));
        }
    }

    @Test
    void withoutAListenerNothingChanges() {
        try (var context = run(Plain.class, "none")) {
            assertThat(context.getBean("kafkaListenerContainerFactory"))
                    .isNotInstanceOf(io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}
}
