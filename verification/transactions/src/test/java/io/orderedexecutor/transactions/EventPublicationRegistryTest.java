package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R12 with the event publication registry of Spring Modulith: a publication is complete when its task has ended, and
 * what a crash has left is published again, in order.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventPublicationRegistryTest {
    private final String url = newDatabase();
    private final ConfigurableApplicationContext context = start(url);

    record OrderChanged(int orderId, int version) {}

    record OrderPaid(int orderId) {}

    record OrderSent(int orderId) {}

    /** What a task does, by the order that it is for. */
    interface Work {
        void handle(OrderChanged event) throws Exception;
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
    static class Application {}

    static class Publisher {
        private final Map<Integer, Work> work = new ConcurrentHashMap<>();
        private final List<String> ended = new CopyOnWriteArrayList<>();

        Map<Integer, Work> work() {
            return work;
        }

        List<String> ended() {
            return ended;
        }

        void handle(OrderChanged event) {
            try {
                work.getOrDefault(event.orderId(), ignored -> {}).handle(event);
            } catch (Exception e) {
                throw new IllegalStateException("order " + event.orderId(), e);
            }
            ended.add(event.orderId() + "." + event.version());
        }
    }

    static class Listener {
        private final AtomicInteger attempts = new AtomicInteger();
        private final CountDownLatch sending = new CountDownLatch(1);
        private final CompletableFuture<Void> sent = new CompletableFuture<>();
        private final Publisher publisher;

        Listener(Publisher publisher) {
            this.publisher = publisher;
        }

        CountDownLatch sending() {
            return sending;
        }

        CompletableFuture<Void> sent() {
            return sent;
        }

        @OrderedTransactionalEventListener(stripe = "#event.orderId", executor = "retrying")
        public void pay(OrderPaid event) {
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("on purpose");
            }
        }

        @OrderedTransactionalEventListener(stripe = "#event.orderId", executor = "orders")
        public CompletableFuture<Void> send(OrderSent event) {
            sending.countDown();
            return sent;
        }

        @OrderedTransactionalEventListener(stripe = "#event.orderId", executor = "orders")
        public void publish(OrderChanged event) {
            publisher.handle(event);
        }
    }

    private static String newDatabase() {
        return "jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
    }

    /** Starts the application with the configuration that the documentation shows, and properties that override it. */
    private static ConfigurableApplicationContext start(String url, String... properties) {
        Stream<String> all = Stream.concat(
                Stream.of(
                        "spring.config.import=classpath:event-publication-registry.yml",
                        "spring.datasource.url=" + url,
                        "ordered-executor.striped.orders.threads=4",
                        "ordered-executor.striped.retrying.retry.max-retries=2",
                        "ordered-executor.striped.retrying.retry.delay=1ms",
                        "spring.main.banner-mode=off",
                        "logging.level.root=OFF"),
                Stream.of(properties));
        return new SpringApplicationBuilder(Application.class, Publisher.class, Listener.class)
                .web(WebApplicationType.NONE)
                .run(all.map(property -> "--" + property).toArray(String[]::new));
    }

    @AfterAll
    void close() {
        context.close();
    }

    private static void publish(ConfigurableApplicationContext context, Object... events) {
        context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            for (Object event : events) {
                context.publishEvent(event);
            }
        });
    }

    private static StripedExecutor executor(ConfigurableApplicationContext context) {
        return context.getBean("orders", StripedExecutor.class);
    }

    private static void drain(StripedExecutor executor) throws InterruptedException {
        assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
    }

    /** The states of the publications of an order, by the versions of their events: times may be equal. */
    private static List<String> states(ConfigurableApplicationContext context, int orderId) {
        return context.getBean(JdbcTemplate.class)
                .queryForList(
                        "select status from event_publication where serialized_event like ? order by serialized_event",
                        String.class,
                        "{\"orderId\":" + orderId + "%");
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aPublicationIsCompleteWhenItsTaskHasEnded() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        context.getBean(Publisher.class).work().put(1, event -> {
            running.countDown();
            await(goOn);
        });
        publish(context, new OrderChanged(1, 1), new OrderChanged(1, 2));
        await(running);
        assertThat(states(context, 1)).containsExactly("PROCESSING", "PUBLISHED");
        goOn.countDown();
        drain(executor(context));
        assertThat(states(context, 1)).containsExactly("COMPLETED", "COMPLETED");
    }

    @Test
    void aPublicationWhoseTaskFailsIsNotComplete() throws Exception {
        context.getBean(Publisher.class).work().put(2, event -> {
            if (event.version() == 1) {
                throw new IllegalArgumentException("on purpose");
            }
        });
        publish(context, new OrderChanged(2, 1), new OrderChanged(2, 2));
        drain(executor(context));
        assertThat(states(context, 2)).containsExactly("FAILED", "COMPLETED");
    }

    @Test
    void aTransactionThatFindsNoRoomPublishesNothing() {
        StripedExecutor executor = executor(context);
        executor.control().setCapacity(1);
        try (Reservation all = executor.reserve("another")) {
            assertThatThrownBy(() -> publish(context, new OrderChanged(3, 1)))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(all.isOpen()).isTrue();
        } finally {
            executor.control().setCapacity(1_000);
        }
        assertThat(states(context, 3)).isEmpty();
    }

    @Test
    void aPublicationIsCompleteWhenItsTaskHasSucceededInTheEnd() throws Exception {
        publish(context, new OrderPaid(4));
        drain(context.getBean("retrying", StripedExecutor.class));
        assertThat(states(context, 4)).containsExactly("COMPLETED");
    }

    @Test
    void aPublicationIsCompleteWhenTheStageOfItsTaskIs() throws Exception {
        publish(context, new OrderSent(5));
        CompletableFuture<?> behind = executor(context).submit(5, () -> states(context, 5));
        await(context.getBean(Listener.class).sending());
        // the stage holds the stripe
        assertThat(executor(context).awaitIdle(Duration.ofMillis(1))).isFalse();
        assertThat(behind).isNotDone();
        assertThat(states(context, 5)).containsExactly("PROCESSING");
        context.getBean(Listener.class).sent().complete(null);
        assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(List.of("COMPLETED"));
    }

    /** The first application is left as it is: with one task that never ends, and others behind it. */
    @Test
    void whatACrashHasLeftIsPublishedAgainInOrder() throws Exception {
        String database = newDatabase();
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        try (ConfigurableApplicationContext crashed = start(database)) {
            for (int order = 6; order <= 7; order++) {
                crashed.getBean(Publisher.class).work().put(order, event -> {
                    if (event.version() == 2) {
                        running.countDown();
                        never.await();
                    }
                });
            }
            for (int version = 1; version <= 4; version++) {
                publish(crashed, new OrderChanged(6, version), new OrderChanged(7, version));
            }
            await(running);
            assertThat(states(crashed, 6)).containsExactly("COMPLETED", "PROCESSING", "PUBLISHED", "PUBLISHED");
            // has room for fewer than there are, and waits at the start
            try (ConfigurableApplicationContext restarted =
                    start(database, "ordered-executor.striped.orders.capacity=1")) {
                drain(executor(restarted));
                for (int order = 6; order <= 7; order++) {
                    String prefix = order + ".";
                    assertThat(restarted.getBean(Publisher.class).ended())
                            .filteredOn(each -> each.startsWith(prefix))
                            .containsExactly(prefix + 2, prefix + 3, prefix + 4);
                    assertThat(states(restarted, order))
                            .containsOnly("COMPLETED")
                            .hasSize(4);
                }
            } finally {
                never.countDown();
            }
        }
    }

    // what Spring Modulith has for listeners

    static class ModuleListener {
        @ApplicationModuleListener
        @OrderedAsync(stripe = "#event.orderId")
        public void on(OrderChanged event) {
            throw new AssertionError("never called");
        }
    }

    @Test
    void itsOwnListenerIsRefusedAndOursIsNamed() {
        assertThatThrownBy(() -> new SpringApplicationBuilder(Application.class, ModuleListener.class)
                        .web(WebApplicationType.NONE)
                        .properties(
                                "spring.datasource.url=" + newDatabase(),
                                "spring.main.banner-mode=off",
                                "logging.level.root=OFF")
                        .run())
                .hasStackTraceContaining("@ApplicationModuleListener, which contains @Async, on the same method")
                .hasStackTraceContaining("Use @OrderedTransactionalEventListener in place of both");
    }
}
