package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.ParkedAction;
import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint;
import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint.ActionDescriptor;
import io.orderedexecutor.kafka.actuate.OrderedKafkaHealthIndicator;
import io.orderedexecutor.kafka.actuate.OrderedListeners;
import io.orderedexecutor.kafka.autoconfigure.OrderedKafkaEndpointWebExtension.RefusalDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/** Endpoint, health and meters of a listener with a parked record. */
class OperatingIT {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        final List<String> done = new CopyOnWriteArrayList<>();

        @Bean
        static MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

        @KafkaListener(id = "operated", topics = "${topic}")
        @OrderedByKey
        void on(String value) {
            if (value.equals("bad")) {
                throw new IllegalStateException("secret");
            }
            done.add(value);
        }
    }

    @Test
    void aParkedRecordIsSeenAndSkipped() throws Exception {
        String topic = Broker.topic(1);
        Broker.send(List.of(
                new ProducerRecord<>(topic, "a", "bad"),
                new ProducerRecord<>(topic, "a", "after"),
                new ProducerRecord<>(topic, "b", "other")));
        try (var context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "spring.kafka.bootstrap-servers=" + Broker.servers(),
                        "spring.kafka.consumer.auto-offset-reset=earliest",
                        "spring.main.banner-mode=off",
                        "management.endpoints.jmx.exposure.include=orderedkafka",
                        "spring.jmx.enabled=true",
                        "management.endpoints.web.exposure.include=orderedkafka",
                        "management.health.orderedkafka.held-threshold=1ms",
                        "management.health.orderedkafka.parked-threshold=1",
                        "ordered-executor.kafka.listeners.operated.retry.max-retries=1",
                        "ordered-executor.kafka.listeners.operated.retry.delay=1ms",
                        "ordered-executor.kafka.listeners.operated.commit-interval=100ms",
                        "topic=" + topic)
                .run()) {
            Application application = context.getBean(Application.class);
            OrderedKafkaEndpoint endpoint = context.getBean(OrderedKafkaEndpoint.class);
            OrderedKafkaHealthIndicator health = context.getBean(OrderedKafkaHealthIndicator.class);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            String partition = topic + "-0";
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> application.done.contains("other")
                            && meters.get("ordered.kafka.parked").gauge().value() == 1);

            // the other record is settled after its listener has ended
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                var shown = endpoint.listener(SecurityContext.NONE, "operated");
                assertThat(shown).isNotNull();
                var described = shown.partitions().get(partition);
                assertThat(described.unsettled()).isEqualTo(2);
                assertThat(described.parked()).singleElement().satisfies(parked -> {
                    assertThat(parked.offset()).isZero();
                    assertThat(parked.attempts()).isEqualTo(2);
                    assertThat(parked.state()).isEqualTo("parked");
                    assertThat(parked.key()).isEqualTo("******");
                    assertThat(parked.failure()).isEqualTo("java.lang.IllegalStateException");
                    assertThat(parked.message()).isEqualTo("******");
                });
            });
            assertThat(endpoint.listeners(SecurityContext.NONE).listeners()).containsOnlyKeys("operated");
            // it holds its key, as any task whose stage is not complete
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> meters.get("ordered.executor.active")
                                            .tag("name", "kafka-operated")
                                            .gauge()
                                            .value()
                                    == 1
                            && meters.get("ordered.kafka.running").gauge().value() == 0);
            assertThat(endpoint.listener(SecurityContext.NONE, "none")).isNull();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                Health down = health.health();
                assertThat(down.getStatus()).isEqualTo(Status.DOWN);
                assertThat(String.valueOf(down.getDetails().get("reason")))
                        .contains(
                                "'operated' has 1 parked",
                                "is parked and has held up the commits for longer than PT0.001S");
            });

            OrderedListeners listeners = OrderedListeners.of(context.getBean(KafkaListenerEndpointRegistry.class));
            for (int threshold : new int[] {0, 2}) {
                Health withoutThreshold = new OrderedKafkaHealthIndicator(listeners, threshold, null).health();
                assertThat(withoutThreshold.getStatus()).isEqualTo(Status.UP);
                assertThat(withoutThreshold.getDetails()).containsExactly(Map.entry("operated", "1 parked"));
            }

            assertThatThrownBy(() -> endpoint.act("operated", partition, 1, ParkedAction.SKIP))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("Nothing was done with the record of offset 1");
            assertThatThrownBy(() -> endpoint.act("none", partition, 0, ParkedAction.SKIP))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessage("There is no ordered listener 'none'; there are [operated]");
            assertThatThrownBy(() -> endpoint.act("operated", "nonsense", 1, ParkedAction.SKIP))
                    .hasMessageContaining("looks like orders-3");
            OrderedKafkaEndpointWebExtension web = context.getBean(OrderedKafkaEndpointWebExtension.class);
            assertRefused(web.act("operated", partition, "1", "skip"), "Nothing was done with the record of offset 1");
            assertRefused(web.act("none", partition, "0", "skip"), "There is no ordered listener 'none'");
            assertRefused(web.act("operated", partition, "first", "skip"), "'first' is no offset");
            assertRefused(web.act("operated", partition, "0", "retry"), "'retry'", "resume, dead-letter or skip");
            assertRefused(web.act("operated", partition, "0", null), "no action", "resume, dead-letter or skip");
            WebEndpointResponse<?> resumed = web.act("operated", partition, "0", "resume");
            assertThat(resumed.getStatus()).isEqualTo(WebEndpointResponse.STATUS_OK);
            // it has all attempts anew, so it is parked when it has been retried once more
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> meters.get("ordered.kafka.retries").counter().count() == 2
                            && meters.get("ordered.kafka.parked").gauge().value() == 1);
            assertThat(application.done).doesNotContain("after");
            WebEndpointResponse<?> skipped = web.act("operated", partition, "0", "skip");
            assertThat(skipped.getStatus()).isEqualTo(WebEndpointResponse.STATUS_OK);
            assertThat(skipped.getBody()).isEqualTo(new ActionDescriptor("operated", partition, 0, "skip"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> application.done.contains("after") && Broker.committed("operated", topic, 0) == 3);
            // the broker shows a commit before the consumer knows of it
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                assertThat(meters.get("ordered.kafka.commits")
                                .tag("outcome", "success")
                                .timer()
                                .count())
                        .isPositive();
            });
            assertThat(counter(meters, topic, "processed")).isEqualTo(2);
            assertThat(counter(meters, topic, "skipped")).isEqualTo(1);
            assertThat(meters.get("ordered.kafka.retries").counter().count()).isEqualTo(2);
            assertThat(meters.get("ordered.kafka.unsettled").gauge().value()).isZero();
            assertThat(meters.get("ordered.kafka.partitions").gauge().value()).isEqualTo(1);
            assertThatAlertsNameMetersOf(meters);
        }
    }

    private static void assertThatAlertsNameMetersOf(MeterRegistry meters) throws IOException {
        Set<String> measured = meters.getMeters().stream()
                .map(meter -> (meter.getId().getName()
                                + (meter.getId().getBaseUnit() == null
                                        ? ""
                                        : "." + meter.getId().getBaseUnit()))
                        .replace('.', '_'))
                .collect(Collectors.toSet());
        Set<String> alerted = Pattern.compile("ordered_kafka_\\w+")
                .matcher(Files.readString(Path.of("../docs/prometheus/ordered-executors.rules.yml")))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
        assertThat(alerted).hasSize(2);
        assertThat(measured).containsAll(alerted);
    }

    private static void assertRefused(WebEndpointResponse<?> answer, String... words) {
        assertThat(answer.getStatus()).isEqualTo(WebEndpointResponse.STATUS_BAD_REQUEST);
        assertThat(((RefusalDescriptor) answer.getBody()).message()).contains(words);
    }

    private static double counter(MeterRegistry meters, String topic, String outcome) {
        return meters.get("ordered.kafka.records")
                .tags("listener", "operated", "topic", topic, "outcome", outcome)
                .counter()
                .count();
    }
}
