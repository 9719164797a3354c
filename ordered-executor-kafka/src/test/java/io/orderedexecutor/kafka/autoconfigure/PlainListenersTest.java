package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** What is said where {@code @OrderedByKey} has no effect. No broker is needed. */
@ExtendWith(OutputCaptureExtension.class)
class PlainListenersTest {
    private static final String WARNING = "@OrderedByKey has no effect on ";

    private final ApplicationContextRunner withoutBoot = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedKafkaAutoConfiguration.class,
                    PlainListenersAutoConfiguration.class))
            .withPropertyValues("spring.kafka.bootstrap-servers=localhost:1", "spring.kafka.consumer.group-id=g");
    private final ApplicationContextRunner contexts =
            withoutBoot.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class));

    @Test
    void oneWarningNamesAllListeners(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.enabled=false")
                .withBean(Orders.class)
                .withBean("more", Orders.class)
                .withBean(Whole.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce(WARNING)
                .contains("WARN")
                .contains(WARNING + Orders.class.getName() + ".on, " + Whole.class.getName() + ": a @KafkaListener");
    }

    @Test
    void aStartWithoutTheFactoriesOfSpringBootIsOneOfThem(CapturedOutput output) {
        withoutBoot
                .withBean(Orders.class)
                .withUserConfiguration(PlainKafka.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(WARNING + Orders.class.getName() + ".on: ");
    }

    @Test
    void thereIsNoneIfTheApplicationHasAnOrderedFactory(CapturedOutput output) {
        withoutBoot
                .withBean(OfOwnFactory.class)
                .withUserConfiguration(OrderedKafka.class)
                .run(context -> assertThat(context.getBean(KafkaListenerEndpointRegistry.class)
                                .getListenerContainers())
                        .singleElement()
                        .isInstanceOf(OrderedMessageListenerContainer.class));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void thereIsNoneIfNobodyListens(CapturedOutput output) {
        withoutBoot.withBean(Orders.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void thereIsNoneIfThereIsNoListenerOrTheyAreOrdered(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.enabled=false")
                .withBean(Plain.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PlainListeners.class));
        contexts.withBean(Orders.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(PlainListeners.class));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void springBootFindsTheWarning() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(PlainListenersAutoConfiguration.class.getName());
    }

    @EnableKafka
    static class PlainKafka {
        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory() {
            return consuming(new ConcurrentKafkaListenerContainerFactory<>());
        }
    }

    @EnableKafka
    static class OrderedKafka {
        @Bean
        OrderedKafkaListenerContainerFactory<Object, Object> own(StripedExecutor executor) {
            return consuming(new OrderedKafkaListenerContainerFactory<>(executor));
        }
    }

    private static <F extends ConcurrentKafkaListenerContainerFactory<Object, Object>> F consuming(F factory) {
        factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of()));
        return factory;
    }

    static class OfOwnFactory {
        @KafkaListener(topics = "orders", containerFactory = "own", groupId = "g", autoStartup = "false")
        @OrderedByKey
        public void on(String order) {}
    }

    static class Orders {
        @KafkaListener(topics = "orders", autoStartup = "false")
        @OrderedByKey
        public void on(String order) {}
    }

    @KafkaListener(topics = "orders", autoStartup = "false")
    @OrderedByKey
    static class Whole {
        @KafkaHandler
        public void on(String order) {}
    }

    static class Plain {
        @KafkaListener(topics = "orders", autoStartup = "false")
        public void on(String order) {}
    }
}
