package io.orderedexecutor.kafka.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.kafka.autoconfigure.OrderedKafkaAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;

/** The listeners and the configuration that {@code docs/kafka.md} shows. No broker is needed. */
class PageTest {
    private static final Path PAGE = Path.of("../docs/kafka.md");
    private static final String CODE = "src/test/java/io/orderedexecutor/kafka/example/";
    private static final Pattern JAVA =
            Pattern.compile("(?:<!-- from ordered-executor-kafka/(\\S+) -->\n)?```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

    record OrderEvent(String customer) {}

    record Payment(String account) {}

    /** What an application does with them. */
    static class Shop {
        void process(Object event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        private final Shop shop = new Shop();

        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey
        void on(OrderEvent event) {
            shop.process(event);
        }

        @KafkaListener(id = "payments", topics = "payments", containerFactory = "paymentsFactory")
        @OrderedByKey
        void on(Payment payment) {
            shop.process(payment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Factories {
        @Bean
        OrderedKafkaListenerContainerFactory<Object, Object> paymentsFactory(
                ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
                ConsumerFactory<Object, Object> payments) {
            var factory = new OrderedKafkaListenerContainerFactory<Object, Object>();
            configurer.configure(factory, payments);
            return factory;
        }
    }

    @Test
    void listenersAreConfiguredAsThePageSays() throws IOException {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OrderedExecutorAutoConfiguration.class,
                        KafkaAutoConfiguration.class,
                        OrderedKafkaAutoConfiguration.class))
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.kafka.consumer.group-id=g",
                        "spring.kafka.listener.auto-startup=false")
                .withPropertyValues(
                        yaml().entrySet().stream().map(Object::toString).toArray(String[]::new))
                .withUserConfiguration(Listeners.class, Factories.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(KafkaTemplate.class);
                    assertThat(container(context, "orders")
                                    .getExecutor()
                                    .inspect()
                                    .settings()
                                    .threads())
                            .isEqualTo(200);
                    assertThat(container(context, "orders").getSettings().deadLetters())
                            .isTrue();
                    assertThat(container(context, "orders").getSettings().window())
                            .isEqualTo(2000);
                    assertThat(container(context, "payments").getSettings().window())
                            .isEqualTo(1000);
                    assertThat(container(context, "payments").getSettings().commitInterval())
                            .isEqualTo(Duration.ofSeconds(1));
                });
    }

    private static OrderedMessageListenerContainer<?, ?> container(ApplicationContext context, String id) {
        return (OrderedMessageListenerContainer<?, ?>)
                context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer(id);
    }

    private static Properties yaml() throws IOException {
        List<MatchResult> blocks =
                YAML.matcher(Files.readString(PAGE)).results().toList();
        assertThat(blocks).hasSize(1);
        YamlPropertiesFactoryBean properties = new YamlPropertiesFactoryBean();
        properties.setResources(new ByteArrayResource(blocks.get(0).group(1).getBytes(StandardCharsets.UTF_8)));
        return properties.getObject();
    }

    @Test
    void itsCodeIsThatOfTests() throws IOException {
        String page = Files.readString(PAGE);
        List<MatchResult> blocks = JAVA.matcher(page).results().toList();
        assertThat(blocks).hasSize(2);
        // how a listener names the factory, as that of payments does above
        assertThat(page).contains("`containerFactory = \"paymentsFactory\"`");
        for (MatchResult block : blocks) {
            assertThat(block.group(1))
                    .as("where this is from: %s", block.group(2))
                    .startsWith(CODE);
            assertThat(withoutIndent(Files.readString(Path.of(block.group(1)))))
                    .contains(withoutIndent(block.group(2)));
        }
    }

    private static String withoutIndent(String code) {
        return code.replaceAll("(?m)^\\s+", "").trim();
    }
}
