package io.orderedexecutor.kafka.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedByKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.util.StringUtils;

/**
 * The same orders through a plain listener, an ordered one, and one that returns the futures of an executor of ours,
 * with a broker in this process. Prints how long each takes, and whether it kept the order of each customer. Not run by
 * the build, since its name does not end with Test or IT; {@code docs/performance.md} has the command. The system
 * properties {@code orders}, {@code millis}, {@code threads}, {@code concurrency}, {@code listeners} and {@code rounds}
 * change the number of orders, the work for each, the threads of the executor, the consumers of the plain listener,
 * which of {@code ordered}, {@code plain} and {@code async} run, and how often.
 */
class OrdersExample {
    private static final int PARTITIONS = 4;
    private static final int CUSTOMERS = 1000;

    @Test
    @Timeout(value = 9, unit = TimeUnit.MINUTES)
    void run() throws Exception {
        int orders = Integer.getInteger("orders", 10_000);
        int millis = Integer.getInteger("millis", 20);
        int threads = Integer.getInteger("threads", 200);
        EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, PARTITIONS, "orders");
        broker.brokerProperty("offsets.topic.num.partitions", "1");
        broker.brokerProperty("group.initial.rebalance.delay.ms", "0");
        broker.afterPropertiesSet();
        try {
            send(broker.getBrokersAsString(), orders);
            System.out.printf(
                    "%d orders of %d customers, %d ms of work for each, %d partitions; ordered: one consumer, "
                            + "%d threads; plain: %d consumers%n",
                    orders, CUSTOMERS, millis, PARTITIONS, threads, Integer.getInteger("concurrency", 4));
            run(broker.getBrokersAsString(), orders, millis, threads);
        } finally {
            broker.destroy();
        }
    }

    private static void send(String servers, int orders) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            if (!admin.listTopics().names().get().contains("orders")) {
                admin.createTopics(List.of(new NewTopic("orders", PARTITIONS, (short) 1)))
                        .all()
                        .get();
            }
        }
        Map<String, Object> properties = Map.of(
                "bootstrap.servers",
                servers,
                "key.serializer",
                StringSerializer.class,
                "value.serializer",
                StringSerializer.class);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties)) {
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < orders; i++) {
                sent.add(producer.send(
                        new ProducerRecord<>("orders", "customer-" + i % CUSTOMERS, Integer.toString(i / CUSTOMERS))));
            }
            for (Future<?> each : sent) {
                each.get();
            }
        }
    }

    private static void run(String servers, int orders, int millis, int threads) throws Exception {
        Tally.expected = orders;
        Tally.millis = millis;
        try (var context = new SpringApplicationBuilder(Application.class)
                        .properties(
                                "spring.main.banner-mode=off",
                                "logging.level.root=warn",
                                "spring.kafka.bootstrap-servers=" + servers,
                                "spring.kafka.consumer.auto-offset-reset=earliest",
                                "ordered-executor.striped.orders.threads=" + threads,
                                "ordered-executor.kafka.listeners.ordered.executor=orders",
                                "ordered-executor.kafka.listeners.ordered.window=2000")
                        .run();
                Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            KafkaListenerEndpointRegistry registry = context.getBean(KafkaListenerEndpointRegistry.class);
            int rounds = Integer.getInteger("rounds", 1);
            Set<String> listeners =
                    StringUtils.commaDelimitedListToSet(System.getProperty("listeners", "ordered,plain"));
            for (int round = 0; round < rounds; round++) {
                for (String id : listeners) {
                    runOnce(registry, admin, id, id + "-" + round, orders);
                }
            }
        }
    }

    /** Each time as a new group, which begins with the first order. */
    private static void runOnce(
            KafkaListenerEndpointRegistry registry, Admin admin, String id, String group, int orders) throws Exception {
        Tally tally = Tally.begin(id);
        long began = System.nanoTime();
        MessageListenerContainer container = registry.getListenerContainer(id);
        if (container == null) {
            throw new IllegalStateException("no listener " + id);
        }
        container.getContainerProperties().setGroupId(group);
        container.start();
        tally.all.await();
        double seconds = (System.nanoTime() - began) / 1e9;
        container.stop();
        System.out.printf(
                "%-8s %8.1f s %8.0f orders/s   out of order: %d   repeated: %d   lag after the stop: %d%n",
                id, seconds, orders / seconds, tally.disorder.get(), tally.repeated.get(), lag(admin, group, orders));
        assertThat(tally.disorder.get() + tally.repeated.get()).as(id).isZero();
    }

    private static long lag(Admin admin, String group, int orders) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get());
        return orders
                - committed.values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum();
    }

    /** What one listener has done. */
    private static final class Tally {
        private static final Map<String, Tally> ALL = new ConcurrentHashMap<>();
        private static volatile int expected;
        private static volatile int millis;

        private final Map<String, AtomicInteger> next = new ConcurrentHashMap<>();
        private final AtomicInteger disorder = new AtomicInteger();
        private final AtomicInteger repeated = new AtomicInteger();
        private final CountDownLatch all = new CountDownLatch(expected);

        static Tally begin(String listener) {
            Tally tally = new Tally();
            ALL.put(listener, tally);
            return tally;
        }

        static Tally of(String listener) {
            return Objects.requireNonNull(ALL.get(listener));
        }

        void process(ConsumerRecord<String, String> order) throws InterruptedException {
            if (millis > 0) {
                TimeUnit.MILLISECONDS.sleep(millis);
            }
            int number = Integer.parseInt(order.value());
            int expectedNext = next.computeIfAbsent(order.key(), each -> new AtomicInteger())
                    .getAndIncrement();
            if (number < expectedNext) {
                repeated.incrementAndGet();
            } else if (number > expectedNext) {
                disorder.incrementAndGet();
            }
            all.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        private final StripedExecutor orders;

        Application(@Qualifier("orders") StripedExecutor orders) {
            this.orders = orders;
        }

        @KafkaListener(id = "ordered", topics = "orders", autoStartup = "false")
        @OrderedByKey
        void ordered(ConsumerRecord<String, String> order) throws InterruptedException {
            Tally.of("ordered").process(order);
        }

        @KafkaListener(id = "plain", topics = "orders", autoStartup = "false", concurrency = "${concurrency:4}")
        void plain(ConsumerRecord<String, String> order) throws InterruptedException {
            Tally.of("plain").process(order);
        }

        /** What Spring offers: it acknowledges out of order within a poll, and fetches no more until that is done. */
        @KafkaListener(id = "async", topics = "orders", autoStartup = "false")
        CompletableFuture<String> async(ConsumerRecord<String, String> order) {
            return orders.submit(order.key(), () -> {
                Tally.of("async").process(order);
                return "done";
            });
        }
    }
}
