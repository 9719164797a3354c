package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.RoutingKafkaTemplate;
import org.springframework.kafka.mock.MockProducerFactory;

/** Dead letters that go through templates which do not tell their producer factories. No broker is needed. */
class DeadLettersTest {
    private final MockProducer<Object, Object> producer = new MockProducer<>(true, null, new ToBytes(), new ToBytes());

    /** Of strings and of bytes. */
    private static final class ToBytes implements org.apache.kafka.common.serialization.Serializer<Object> {
        @Override
        public byte[] serialize(String topic, Object data) {
            return data instanceof byte[] bytes
                    ? new ByteArraySerializer().serialize(topic, bytes)
                    : new StringSerializer().serialize(topic, (String) data);
        }
    }

    private void assertPublished(KafkaTemplate<Object, Object> template, Object value) {
        CompletionStage<?> published = DeadLetters.to(template)
                .publish(new ConsumerRecord<Object, Object>("t", 0, 7, "k", value), new IllegalStateException());
        assertThat(published.toCompletableFuture()).isCompleted();
        assertThat(producer.history())
                .singleElement()
                .extracting(ProducerRecord::topic, ProducerRecord::value)
                .containsExactly("t-dlt", value);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTemplateThatRoutes(boolean isPoison) {
        assertPublished(
                new RoutingKafkaTemplate(Map.of(Pattern.compile(".*"), new MockProducerFactory<>(() -> producer))),
                isPoison ? new byte[] {1} : "value");
    }

    @Test
    void aFactoryThatHasNoCopies() {
        assertPublished(new KafkaTemplate<>(() -> producer), new byte[] {1});
    }
}
