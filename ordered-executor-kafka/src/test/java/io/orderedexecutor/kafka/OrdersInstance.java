package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.Journal.Event;
import io.orderedexecutor.kafka.Journal.Kind;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;

/**
 * An application with an ordered listener, in a process of its own; {@link Instances} starts it. It writes what it does
 * to the journal, obeys commands from standard input, and ends with the process that started it.
 */
final class OrdersInstance {
    private OrdersInstance() {}

    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class).run(arguments);
        MessageListenerContainer container =
                context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("orders");
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            switch (command) {
                case "start" -> container.start();
                case "stop" -> container.stop();
                case "pause" -> container.pause();
                case "resume" -> container.resume();
                default -> throw new IllegalArgumentException(command);
            }
            System.out.println("ready");
        }
        // whoever started this is gone
        Runtime.getRuntime().halt(1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        private final String name;
        private final Journal journal;
        private final int failing;
        private final int slow;

        Application(
                @Value("${instance}") String name,
                @Value("${journal}") Path journal,
                @Value("${failing:0}") int failing,
                @Value("${slow:0}") int slow)
                throws Exception {
            this.name = name;
            this.journal = new Journal(journal);
            this.failing = failing;
            this.slow = slow;
        }

        @KafkaListener(id = "orders", groupId = "${topic}", topics = "${topic}")
        @OrderedByKey
        void on(ConsumerRecord<String, String> order, @Header(KafkaHeaders.DELIVERY_ATTEMPT) int attempt)
                throws InterruptedException {
            note(order, Kind.START);
            boolean done = false;
            try {
                work(order, attempt);
                done = true;
            } finally {
                note(order, done ? Kind.END : Kind.FAIL);
            }
        }

        /** Up to eight milliseconds; of a thousand records, so many are slow, and so many fail once. */
        private void work(ConsumerRecord<String, String> order, int attempt) throws InterruptedException {
            int lot = Math.floorMod((order.key() + order.value()).hashCode() * 31, 1000);
            TimeUnit.MILLISECONDS.sleep(lot >= 1000 - slow ? 300 : lot % 9);
            if (lot < failing && attempt == 1) {
                throw new IllegalStateException("the first time");
            }
        }

        private void note(ConsumerRecord<String, String> order, Kind kind) {
            journal.append(new Event(
                    name,
                    kind,
                    order.key(),
                    Integer.parseInt(order.value()),
                    order.partition(),
                    order.offset(),
                    System.nanoTime()));
        }
    }
}
