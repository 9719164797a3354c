package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
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
import org.springframework.kafka.support.Acknowledgment;

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
                        "ordered-executor.kafka.defaults.commit-interval=3s",
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
                        "ordered-executor.kafka.defaults.executor=defaults",
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
        @OrderedByKey(stripe = "#customer")
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
