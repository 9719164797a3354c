package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;

/** What a native image learns of an application with ordered listeners. */
class AheadOfTimeTest {

    @Test
    void whatExpressionsReachIsKnown() throws Exception {
        RuntimeHints hints = hints();
        assertInvocable(hints, Listeners.class, "onOrder", Order.class);
        assertInvocable(hints, Order.class, "customer");
        assertInvocable(hints, Customer.class, "getId");
        assertInvocable(hints, Payment.class, "account");
        assertInvocable(hints, Payment.class, "payer");
        assertInvocable(hints, ConsumerRecord.class, "partition");
        assertInvocable(hints, Refund.class, "reason");
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Account.class, "number"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("untouched")))
                .rejects(hints);
    }

    @Test
    void theConsumerThatListenersSeeIsKnown() throws Exception {
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Consumer.class))
                .accepts(hints());
    }

    private static void assertInvocable(RuntimeHints hints, Class<?> type, String method, Class<?>... parameters)
            throws NoSuchMethodException {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type.getDeclaredMethod(method, parameters)))
                .as(type + "." + method)
                .accepts(hints);
    }

    private static RuntimeHints hints() {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)), new InMemoryGeneratedFiles());
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        return generation.getRuntimeHints();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        OrderedExecutorAutoConfiguration.class,
        KafkaAutoConfiguration.class,
        OrderedKafkaAutoConfiguration.class
    })
    static class Application {
        @Bean
        Listeners listeners() {
            return new Listeners();
        }

        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    static class Listeners {
        @KafkaListener(id = "orders", topics = "orders")
        @OrderedByKey(key = "#value.customer.id")
        public void onOrder(Order order) {}

        @KafkaListener(id = "payments", topics = "payments")
        @OrderedByKey(key = "{#value.account().number, #record.partition(), #record.value().payer}")
        public void onPayment(ConsumerRecord<String, Payment> payment) {}

        @KafkaListener(id = "wrong", topics = "wrong")
        @OrderedByKey(key = "#value.")
        public void onWrong(Order order) {}
    }

    @KafkaListener(id = "refunds", topics = "refunds")
    @OrderedByKey(key = "#value.reason")
    static class Handlers {
        @KafkaHandler
        public void on(Refund refund) {}
    }

    public record Order(Customer customer) {
        public Customer untouched() {
            return customer;
        }
    }

    public static class Customer {
        public String getId() {
            return "";
        }
    }

    public record Payment(Account account, String payer) {}

    public static class Account {
        public String number = "";
    }

    public record Refund(String reason) {}
}
