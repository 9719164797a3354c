package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.LogLines;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.StripedExecutorCustomizer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.annotation.TopicPartition;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.retrytopic.RetryTopicConfiguration;
import org.springframework.kafka.retrytopic.RetryTopicConfigurationBuilder;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is refused before a listener has received anything, with the listener and the fix. No broker is needed. */
class RefusalsTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    OrderedKafkaAutoConfiguration.class))
            .withPropertyValues("spring.kafka.bootstrap-servers=localhost:1", "spring.kafka.consumer.group-id=g");

    private void refused(Class<?> listener, List<String> properties, String... messages) {
        runner.withUserConfiguration(listener)
                .withPropertyValues(properties.toArray(String[]::new))
                .run(context -> {
                    assertThat(context).hasFailed();
                    InvalidOrderedListenerException failure = find(context.getStartupFailure());
                    assertThat(failure).as("%s", context.getStartupFailure()).isNotNull();
                    assertThat(failure.getMessage()).contains(messages);
                });
    }

    private static @Nullable InvalidOrderedListenerException find(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidOrderedListenerException found) {
                return found;
            }
        }
        return null;
    }

    @Configuration(proxyBeanMethods = false)
    static class Good {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Batch {
        @KafkaListener(id = "orders", topics = "orders", batch = "true")
        @OrderedByKey
        void on(List<String> values) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Acknowledging {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(String value, Acknowledgment acknowledgment) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Retryable {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        @RetryableTopic
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOrderedAsync {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        @OrderedAsync(stripe = "#value")
        public CompletableFuture<String> on(String value) {
            return CompletableFuture.completedFuture(value);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAsync {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        @Async
        public void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class AsyncWithResult {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        @Async
        public CompletableFuture<String> on(String value) {
            return CompletableFuture.completedFuture(value);
        }
    }

    @Async
    static class AsyncType {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        public void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NoListener {
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class NoListenerBesideOne {
        @OrderedByKey
        void on(String value) {}

        @OrderedByKey
        @KafkaListener(id = "orders", topics = "orders")
        void on(Integer value) {}
    }

    @Configuration(proxyBeanMethods = false)
    @OrderedByKey
    static class ListenerInClass {
        @KafkaListener(id = "orders", topics = "orders")
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    @KafkaListener(id = "orders", topics = "orders")
    static class HandlerOfListener {
        @KafkaHandler
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongExpression {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey(key = "#customer")
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongSyntax {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey(key = "#value.")
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainFactory {
        @KafkaListener(id = "orders", topics = "orders", containerFactory = "kafkaListenerContainerFactory")
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainFactoryByPlaceholder {
        @KafkaListener(id = "orders", topics = "orders", containerFactory = "${factory}")
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainFactoryByExpression {
        @KafkaListener(id = "orders", topics = "orders", containerFactory = "#{@kafkaListenerContainerFactory}")
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainFactoryOfOurName extends Good {
        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> orderedKafkaListenerContainerFactory() {
            return new ConcurrentKafkaListenerContainerFactory<>();
        }
    }

    /** It takes the place of ours, which is only made if no bean has the name. */
    @Test
    void aPlainFactoryThatHasTheNameOfOurs() {
        refused(PlainFactoryOfOurName.class, List.of(), "'orderedKafkaListenerContainerFactory'", "without order");
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoryOfTheListener {
        @KafkaListener(id = "orders", topics = "orders", containerFactory = "#{__listener.factory}")
        @OrderedByKey
        void on(String value) {}
    }

    @Test
    void factoriesThatAreNotNamedLiterally() {
        String plain = "factory=kafkaListenerContainerFactory";
        refused(PlainFactoryByPlaceholder.class, List.of(plain), "'kafkaListenerContainerFactory'", "without order");
        refused(PlainFactoryByExpression.class, List.of(), "#{@kafkaListenerContainerFactory}", "without order");
        refused(FactoryOfTheListener.class, List.of(), "#{__listener.factory}", "name");
        for (String ordered : List.of("factory=orderedKafkaListenerContainerFactory", "factory=")) {
            runner.withUserConfiguration(PlainFactoryByPlaceholder.class)
                    .withPropertyValues(ordered, "spring.kafka.listener.auto-startup=false")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(KafkaListenerEndpointRegistry.class)
                                        .getListenerContainer("orders"))
                                .isInstanceOf(OrderedMessageListenerContainer.class);
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RetryTopics {
        @Bean
        RetryTopicConfiguration retryTopics(KafkaTemplate<?, ?> template) {
            return RetryTopicConfigurationBuilder.newInstance()
                    .includeTopic("payments")
                    .create(template);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Payments {
        @KafkaListener(id = "payments", topics = "payments")
        @OrderedByKey
        void on(String value) {}
    }

    /** They run a failed record after its successors, whatever switches them on. */
    @Test
    void retryTopics() {
        refused(
                Good.class,
                List.of("spring.kafka.retry.topic.enabled=true"),
                "'orders'",
                "retry topics",
                "spring.kafka.retry.topic.enabled");
        runner.withUserConfiguration(Good.class, RetryTopics.class)
                .withPropertyValues("spring.kafka.listener.auto-startup=false")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(Payments.class, RetryTopics.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(find(context.getStartupFailure())).hasMessageContainingAll("'payments'", "'retryTopics'");
        });
    }

    @Test
    void listeners() {
        refused(Batch.class, List.of(), "Batch.on(List) takes batches", "Remove batch");
        refused(
                Acknowledging.class,
                List.of(),
                "Acknowledging.on(",
                "Acknowledgment parameter",
                "Remove the parameter");
        refused(Retryable.class, List.of(), "Retryable.on(", "@RetryableTopic", "failure-policy");
        refused(WithOrderedAsync.class, List.of(), "WithOrderedAsync.on(", "Remove @OrderedAsync");
        refused(WithAsync.class, List.of(), "WithAsync.on(", "Remove @Async");
        refused(AsyncType.class, List.of(), "AsyncType.on(", "Remove @Async");
        refused(NoListener.class, List.of(), "NoListener.on has @OrderedByKey", "no @KafkaListener");
        refused(NoListenerBesideOne.class, List.of(), "NoListenerBesideOne.on has @OrderedByKey", "no @KafkaListener");
        refused(ListenerInClass.class, List.of(), "ListenerInClass has @OrderedByKey", "on the same method");
        refused(HandlerOfListener.class, List.of(), "HandlerOfListener.on has @OrderedByKey", "on the same class");
        refused(WrongExpression.class, List.of(), "#customer is unknown", "#record, #key, #value and #headers");
        refused(WrongSyntax.class, List.of(), "no valid SpEL expression");
        refused(PlainFactory.class, List.of(), "'kafkaListenerContainerFactory'", "Remove containerFactory");
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsStage {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        CompletionStage<String> on(String value) {
            return CompletableFuture.completedStage(value);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsFuture {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        Future<String> on(String value) {
            return CompletableFuture.completedFuture(value);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsFlux {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        Flux<String> on(String value) {
            return Flux.just(value);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReturnsMono {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        Mono<String> on(String value) {
            return Mono.just(value);
        }
    }

    /** Spring waits for futures of one kind and for Mono; the record would be settled before the work is done. */
    @Test
    void resultsThatNothingWaitsFor() {
        String why = "processed when the method returns";
        String fix = "CompletableFuture or a Mono";
        refused(ReturnsStage.class, List.of(), "ReturnsStage.on(", "a CompletionStage", why, fix);
        refused(ReturnsFuture.class, List.of(), "ReturnsFuture.on(", "a Future", why, fix);
        refused(ReturnsFlux.class, List.of(), "ReturnsFlux.on(", "a Flux", why, fix);
        for (Class<?> awaited : List.of(ReturnsMono.class, AsyncWithResult.class)) {
            runner.withUserConfiguration(awaited)
                    .withPropertyValues("spring.kafka.listener.auto-startup=false")
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class CapacityForAll extends Good {
        @Bean
        StripedExecutorCustomizer capacity() {
            return (name, builder) -> builder.capacity(1000);
        }
    }

    /** The listener names no executor, so to name another one is not all that helps. */
    @Test
    void aCustomizerOfAllExecutors() {
        refused(
                CapacityForAll.class,
                List.of(),
                "'kafka-orders', which has a capacity",
                "let the customizer leave out the name 'kafka-orders'");
    }

    @Test
    void aChoiceThatDoesNotExist() {
        refused(
                Good.class,
                List.of("ordered-executor.kafka.failure-policy=drop"),
                "failure-policy' has no valid value",
                "park, dead-letter, proceed");
    }

    @Test
    void valuesThatMeanNothing() {
        String excludes = "ordered-executor.kafka.retry.excludes=";
        refused(Good.class, List.of(excludes + "java.lang.String"), "retry.excludes is java.lang.String", "exceptions");
        refused(Good.class, List.of(excludes + "com.example.Gone"), "there is no class com.example.Gone");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders=5"),
                "listeners.orders'",
                "no value of its own");
        refused(Good.class, List.of("ordered-executor.kafka.retry=5"), "kafka.retry'", "no value of its own");
        refused(Good.class, List.of("ordered-executor.kafka.listeners=5"), "kafka.listeners'", "no valid value");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.executor="),
                "executor ''",
                "to one of [stripedExecutor], or remove the property");
    }

    /** The starter refuses properties that it does not know, but leaves those of this module to this one. */
    @Test
    void settingsOfTheModuleAreItsOwnToCheck() {
        runner.withPropertyValues("ordered-executor.kafka.window=5")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                new SystemEnvironmentPropertySource(
                                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                        Map.of("ORDEREDEXECUTOR_KAFKA_COMMITINTERVAL", "7s"))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    OrderedListenerSettings settings =
                            new ListenerProperties(context.getEnvironment()).settingsOf(null);
                    assertThat(settings.window()).isEqualTo(5);
                    assertThat(settings.commitInterval()).isEqualTo(Duration.ofSeconds(7));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class ByHand {
        @KafkaListener(
                id = "orders",
                idIsGroup = false,
                topicPartitions = @TopicPartition(topic = "orders", partitions = "0"))
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class KeyCapacity extends Good {
        @Bean
        StripedExecutor full() {
            return StripedExecutor.builder().name("full").keyCapacity(10).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class IdentityStripes extends Good {
        @Bean
        StripedExecutor same() {
            return StripedExecutor.builder().name("same").identityStripes().build();
        }
    }

    @Test
    void settings() {
        refused(Good.class, List.of("spring.kafka.listener.type=batch"), "Good.on(String) takes batches");
        refused(
                Good.class,
                List.of("spring.kafka.consumer.enable-auto-commit=true"),
                "'orders' has enable.auto.commit");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders.drain-timeout=5m"),
                "drain-timeout of PT5M",
                "max.poll.interval.ms");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders.drain-timeout=295s"),
                "drain-timeout of PT4M55S",
                "PT5S for the last commit");
        refused(
                Good.class,
                List.of("spring.kafka.consumer.properties.max.poll.interval.ms=5m"),
                "'orders' has max.poll.interval.ms=5m",
                "number of milliseconds");
        refused(ByHand.class, List.of("spring.kafka.consumer.group-id="), "has no consumer group", "group.id");
        refused(
                Good.class,
                List.of(
                        "ordered-executor.striped.full.capacity=10",
                        "ordered-executor.kafka.listeners.orders.executor=full"),
                "'full', which has a capacity",
                "an executor without any capacity");
        refused(
                KeyCapacity.class,
                List.of("ordered-executor.kafka.executor=full"),
                "'full', which has a capacity for each key");
        refused(
                IdentityStripes.class,
                List.of("ordered-executor.kafka.listeners.orders.executor=same"),
                "'same', which compares stripes by identity",
                "built without identityStripes()");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders.executor=none"),
                "'none'",
                "stripedExecutor");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.order.window=5"),
                "listeners.order",
                "Ordered listeners are: orders");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders.windows=5"),
                "listeners.orders.windows' is unknown");
        refused(
                Good.class,
                List.of(
                        "ordered-executor.kafka.listeners.orders.threads=5",
                        "ordered-executor.kafka.listeners.orders.executor=stripedExecutor"),
                "executor is stripedExecutor, and threads is 5");
        refused(Good.class, List.of("ordered-executor.kafka.threads=0"), "threads is 0");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.retry.max-retries=-1"),
                "executor.kafka' are wrong: maxRetries of a retry is -1");
        refused(Good.class, List.of("ordered-executor.kafka.window=many"), "window' has no valid value");
        refused(Good.class, List.of("ordered-executor.kafka.window=0"), "window is 0, but must be at least 1");
        refused(
                Good.class,
                List.of("ordered-executor.kafka.listeners.orders.commit-interval=0s"),
                "listeners.orders",
                "commit-interval is PT0S");
        refused(
                Good.class,
                List.of("spring.kafka.producer.transaction-id-prefix=tx-"),
                "Kafka transaction manager",
                "plain container factory");
    }

    /** Spring stops waiting for a container that drains for longer: told, but not refused, as a test may want it. */
    @Test
    void aDrainThatIsLongerThanTheShutdown() {
        try (LogLines log = new LogLines(ListenerProperties.class.getName())) {
            runner.withUserConfiguration(Good.class)
                    .withPropertyValues(
                            "spring.kafka.listener.auto-startup=false",
                            "ordered-executor.kafka.listeners.orders.drain-timeout=20s")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.lines()).isEmpty();
            runner.withUserConfiguration(Good.class)
                    .withPropertyValues(
                            "spring.kafka.listener.auto-startup=false",
                            "spring.lifecycle.timeout-per-shutdown-phase=20s",
                            "ordered-executor.kafka.listeners.orders.drain-timeout=20s")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("'orders'", "PT20S", "spring.lifecycle.timeout-per-shutdown-phase");
        }
    }

    /** Beans that other beans' processing needs are infrastructure, or Spring warns of them in every application. */
    @Test
    void nothingIsCreatedTooEarly() {
        try (LogLines log = new LogLines("org.springframework.context.support")) {
            runner.withUserConfiguration(Good.class)
                    .withPropertyValues("spring.kafka.listener.auto-startup=false")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.lines()).noneMatch(line -> line.contains("not eligible"));
        }
    }

    @Test
    void deadLettersWithNowhereToPublish() {
        runner.withUserConfiguration(Good.class)
                .withPropertyValues("ordered-executor.kafka.failure-policy=dead-letter")
                .withBean("one", ConsumerRecordRecoverer.class, () -> (record, failure) -> {})
                .withBean("two", ConsumerRecordRecoverer.class, () -> (record, failure) -> {})
                .withBean("template", KafkaTemplate.class, () -> template())
                .withBean("template2", KafkaTemplate.class, () -> template())
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(find(context.getStartupFailure()))
                            .hasMessageContainingAll(
                                    "publishes dead letters", "ConsumerRecordRecoverer bean", "@Primary");
                });
    }

    /** A template must not take the place of recoverers that the application has, and cannot be told apart. */
    @Test
    void severalRecoverers() {
        ApplicationContextRunner deadLetters = runner.withUserConfiguration(Good.class)
                .withPropertyValues("ordered-executor.kafka.failure-policy=dead-letter")
                .withBean("one", ConsumerRecordRecoverer.class, () -> (record, failure) -> {});
        deadLetters
                .withBean("two", ConsumerRecordRecoverer.class, () -> (record, failure) -> {})
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(find(context.getStartupFailure()))
                            .hasMessageContainingAll("nowhere to publish", "@Primary");
                });
        deadLetters
                .withPropertyValues("spring.kafka.listener.auto-startup=false")
                .withBean(
                        "two",
                        ConsumerRecordRecoverer.class,
                        () -> (record, failure) -> {},
                        definition -> definition.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static KafkaTemplate<Object, Object> template() {
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of()));
    }
}
