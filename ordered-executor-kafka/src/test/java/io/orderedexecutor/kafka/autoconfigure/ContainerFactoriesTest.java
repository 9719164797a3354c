package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.spring.autoconfigure.StripedExecutorCustomizer;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.converter.MessagingMessageConverter;
import org.springframework.kafka.support.converter.RecordMessageConverter;

/** Where the container factory and the consumer factory of an ordered listener come from. No broker is needed. */
class ContainerFactoriesTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    OrderedKafkaAutoConfiguration.class))
            .withPropertyValues(
                    "spring.kafka.bootstrap-servers=localhost:1",
                    "spring.kafka.consumer.group-id=g",
                    "spring.kafka.listener.auto-startup=false");

    private static OrderedMessageListenerContainer<?, ?> container(ApplicationContext context, String id) {
        return (OrderedMessageListenerContainer<?, ?>)
                context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer(id);
    }

    @Configuration(proxyBeanMethods = false)
    static class Good {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutAnnotation {
        @KafkaListener(id = "orders", topics = "orders", containerFactory = OrderedByKeyEnhancer.FACTORY)
        void on(String value) {}
    }

    @Test
    @DisplayName("a listener that names the ordered factory needs no annotation, as its records have keys")
    void theFactoryIsEnough() {
        runner.withUserConfiguration(WithoutAnnotation.class)
                .withPropertyValues("spring.kafka.listener.auto-startup=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(container(context, "orders").getSettings().window())
                            .isEqualTo(1000);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Placeholders {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey(key = "${key}")
        void on(String value) {}
    }

    @Test
    void theKeyMayBeAPlaceholder() {
        ApplicationContextRunner placeholders = runner.withUserConfiguration(Placeholders.class)
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class));
        placeholders.run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("has the key \"${key}\", in which a placeholder has no value"));
        placeholders
                .withPropertyValues("key=#nothing")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("has the key \"#nothing\", in which #nothing is unknown"));
        placeholders
                .withPropertyValues("key=#value")
                .run(context -> assertThat(context).hasNotFailed());
        placeholders
                .withPropertyValues("key=")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenerBesideAConverter {
        @Bean
        RecordMessageConverter converter() {
            return new MessagingMessageConverter();
        }

        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(String value) {}
    }

    /** A container factory needs the converter, which needs the class whose bean is still being made. */
    @Test
    void aListenerMayStandBesideABeanThatItsContainerFactoryNeeds() {
        runner.withUserConfiguration(ListenerBesideAConverter.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(container(context, "orders")).isNotNull();
        });
    }

    /** Spring Boot gives a bean to every factory, and a container that parked instead would surprise. */
    @Test
    void anErrorHandlerBeanReachesTheCheckAtTheStart() {
        runner.withUserConfiguration(Good.class)
                .withBean(DefaultErrorHandler.class)
                .run(context -> assertThat(container(context, "orders").getCommonErrorHandler())
                        .isInstanceOf(DefaultErrorHandler.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Consumers {
        static ConsumerFactory<String, String> of(String clientId) {
            return new DefaultKafkaConsumerFactory<>(Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    "localhost:1",
                    ConsumerConfig.CLIENT_ID_CONFIG,
                    clientId,
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    StringDeserializer.class,
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    StringDeserializer.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneTypedConsumerFactory {
        @Bean
        ConsumerFactory<String, String> typed() {
            return Consumers.of("typed");
        }
    }

    /** Spring Boot's own is for objects; an application's may be for anything. */
    @Test
    void theOnlyConsumerFactoryIsUsedWhateverItsTypes() {
        runner.withUserConfiguration(Good.class, OneTypedConsumerFactory.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(clientIdOf(context)).isEqualTo("typed");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class APrimaryConsumerFactory {
        @Bean
        @Primary
        ConsumerFactory<String, String> chosen() {
            return Consumers.of("chosen");
        }
    }

    @Test
    void ofSeveralConsumerFactoriesThePrimaryOneIsUsed() {
        runner.withUserConfiguration(Good.class, OneTypedConsumerFactory.class, APrimaryConsumerFactory.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(clientIdOf(context)).isEqualTo("chosen");
                });
    }

    private static Object clientIdOf(ApplicationContext context) {
        return context.getBean(OrderedByKeyEnhancer.FACTORY, OrderedKafkaListenerContainerFactory.class)
                .getConsumerFactory()
                .getConfigurationProperties()
                .get(ConsumerConfig.CLIENT_ID_CONFIG);
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherTypedConsumerFactory {
        @Bean
        ConsumerFactory<String, String> another() {
            return Consumers.of("another");
        }
    }

    @Test
    void severalConsumerFactoriesAreRefusedIfTheyAreNeeded() {
        runner.withUserConfiguration(OneTypedConsumerFactory.class, AnotherTypedConsumerFactory.class)
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(Good.class, OneTypedConsumerFactory.class, AnotherTypedConsumerFactory.class)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(InvalidOrderedListenerException.class)
                            .hasMessageContainingAll("another, typed", "@Primary", OrderedByKeyEnhancer.FACTORY);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {
        @Bean
        OrderedKafkaListenerContainerFactory<Object, Object> orderedKafkaListenerContainerFactory(
                ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
                ConsumerFactory<Object, Object> consumers) {
            OrderedKafkaListenerContainerFactory<Object, Object> factory = new OrderedKafkaListenerContainerFactory<>();
            configurer.configure(factory, consumers);
            factory.getContainerProperties().setKafkaAwareTransactionManager(null);
            return factory;
        }
    }

    /** An own factory is there to be different in one thing, and not to lose the others. */
    @Test
    void aFactoryOfTheApplicationGetsAllThatIsConfigured() {
        runner.withUserConfiguration(Good.class, OwnFactory.class)
                .withPropertyValues(
                        "spring.kafka.producer.transaction-id-prefix=tx-",
                        "ordered-executor.striped.others.threads=2",
                        "ordered-executor.kafka.commit-interval=3s",
                        "ordered-executor.kafka.listeners.orders.executor=others",
                        "ordered-executor.kafka.listeners.orders.window=7",
                        "ordered-executor.kafka.listeners.orders.failure-policy=dead-letter")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    OrderedMessageListenerContainer<?, ?> container = container(context, "orders");
                    assertThat(container.getExecutor()).isSameAs(context.getBean("others"));
                    assertThat(container.getSettings().window()).isEqualTo(7);
                    assertThat(container.getSettings().commitInterval()).hasSeconds(3);
                    assertThat(container.getContainerProperties().getKafkaAwareTransactionManager())
                            .isNull();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoriesByName {
        @Bean
        OrderedKafkaListenerContainerFactory<Object, Object> others(
                ConsumerFactory<Object, Object> consumers, StripedExecutor stripedExecutor) {
            OrderedKafkaListenerContainerFactory<Object, Object> factory =
                    new OrderedKafkaListenerContainerFactory<>(stripedExecutor);
            factory.setConsumerFactory(consumers);
            factory.setAutoStartup(false);
            return factory;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenersByName {
        @KafkaListener(id = "a", topics = "a", containerFactory = "others")
        @OrderedByKey
        void onA(String value) {}

        @KafkaListener(id = "b", topics = "b", containerFactory = "others")
        @OrderedByKey
        void onB(String value) {}
    }

    /** What is said of one listener goes before what its factory says, and that before the defaults of all. */
    @Test
    void theExecutorOfAFactoryIsTheDefaultOfItsListeners() {
        runner.withUserConfiguration(FactoriesByName.class, ListenersByName.class)
                .withPropertyValues(
                        "ordered-executor.striped.defaults.threads=1",
                        "ordered-executor.striped.own.threads=1",
                        "ordered-executor.kafka.executor=defaults",
                        "ordered-executor.kafka.listeners.b.executor=own")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(container(context, "a").getExecutor()).isSameAs(context.getBean("stripedExecutor"));
                    assertThat(container(context, "b").getExecutor()).isSameAs(context.getBean("own"));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongExpression {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey(key = "#customer")
        void on(String value) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Acknowledging {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(String value, Acknowledgment acknowledgment) {}
    }

    @Test
    void aFactoryOfTheApplicationRefusesTheSame() {
        refusedWithOwnFactory(WrongExpression.class, "#customer is unknown");
        refusedWithOwnFactory(Acknowledging.class, "Acknowledgment parameter");
    }

    private void refusedWithOwnFactory(Class<?> listener, String message) {
        runner.withUserConfiguration(listener, OwnFactory.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("InvalidOrderedListenerException")
                    .hasStackTraceContaining(message);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoListeners {
        @KafkaListener(id = "a", topics = "a")
        @OrderedByKey
        void onA(String value) {}

        @KafkaListener(id = "b", topics = "b")
        @OrderedByKey
        void onB(String value) {}
    }

    @Test
    void aListenerHasAnExecutorOfItsOwn() {
        AtomicReference<StripedExecutor> own = new AtomicReference<>();
        runner.withUserConfiguration(TwoListeners.class)
                .withConfiguration(AutoConfigurations.of(OrderedKafkaMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("ordered-executor.kafka.threads=3", "ordered-executor.kafka.listeners.b.threads=5")
                .run(context -> {
                    StripedExecutor a = container(context, "a").getExecutor();
                    StripedExecutor b = container(context, "b").getExecutor();
                    own.set(a);
                    assertThat(context.getBeansOfType(StripedExecutor.class)).doesNotContainValue(a);
                    assertThat(a).isNotSameAs(b);
                    assertThat(a.name()).isEqualTo("kafka-a");
                    assertThat(a.inspect().settings().threads()).isEqualTo(3);
                    assertThat(b.inspect().settings().threads()).isEqualTo(5);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("ordered.executor.threads")
                                    .tag("name", "kafka-b")
                                    .gauge()
                                    .value())
                            .isEqualTo(5);
                    assertThat(a.isShutdown()).isFalse();
                });
        assertThat(own.get().isShutdown()).isTrue();
    }

    /** They hold for executors that the module makes, as for those that the starter makes. */
    @Test
    void beansDecideAboutItsThreadsAndSettings() {
        runner.withUserConfiguration(TwoListeners.class)
                .withBean(OrderedExecutorThreads.class, () -> (builder, name) -> builder.executor(Runnable::run))
                .withBean(
                        StripedExecutorCustomizer.class, () -> (name, builder) -> builder.turn(9, Duration.ofMillis(1)))
                .run(context -> {
                    OrderedExecutorSettings settings =
                            container(context, "a").getExecutor().inspect().settings();
                    assertThat(settings.threads()).isNull();
                    assertThat(settings.turnTasks()).isEqualTo(9);
                });
    }

    @Test
    void aContainerRefusesAWrongExpression() {
        StripedExecutor direct =
                StripedExecutor.builder().executor(Runnable::run).build();
        OrderedKafkaListenerContainerFactory<String, String> factory =
                new OrderedKafkaListenerContainerFactory<>(direct);
        factory.setConsumerFactory(Consumers.of("c"));
        var container = (OrderedMessageListenerContainer<String, String>) factory.createContainer("orders");
        container.setBeanName("orders");
        container.setKeyExpression("#value");
        assertThatThrownBy(() -> container.setKeyExpression("#nothing"))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContaining("The ordered listener 'orders' has the key \"#nothing\"");
    }

    @Test
    @DisplayName("a factory of batches makes a container for a listener that is set later, and may take records")
    void aContainerOfAFactoryOfBatches() {
        OrderedKafkaListenerContainerFactory<String, String> factory = new OrderedKafkaListenerContainerFactory<>(
                StripedExecutor.builder().executor(Runnable::run).build());
        factory.setConsumerFactory(Consumers.of("c"));
        factory.setBatchListener(true);
        var container = factory.createContainer("orders");
        container.setupMessageListener((MessageListener<String, String>) record -> {});
        assertThatThrownBy(() -> container.setupMessageListener((BatchMessageListener<String, String>) records -> {}))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContaining("takes batches");
    }

    /** Without Spring Boot there is nobody who knows an executor. */
    @Test
    void aFactoryWithoutAnExecutorIsRefused() {
        OrderedKafkaListenerContainerFactory<String, String> factory = new OrderedKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(Consumers.of("c"));
        assertThatThrownBy(() -> factory.createContainer("orders"))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("has no executor", "constructor");
    }
}
