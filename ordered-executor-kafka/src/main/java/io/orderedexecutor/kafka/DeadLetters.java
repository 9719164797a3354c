package io.orderedexecutor.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Publishes records that cannot be processed. */
@FunctionalInterface
interface DeadLetters {
    String HOW_TO_DEFINE =
            "Define a KafkaTemplate bean or a ConsumerRecordRecoverer bean; of several, mark one with @Primary.";

    /**
     * Publishes a record. May block.
     *
     * @return a stage that completes when the broker has accepted the record, and fails if the record was refused
     */
    CompletionStage<?> publish(ConsumerRecord<?, ?> record, Exception failure);

    /** Creates the thread that publishes the dead letters of a listener. An idle thread ends after 10 seconds. */
    static Executor publisher(String listener) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(listener + "-dead-letters-");
        // a stop of the container waits for running publications; beyond that, this thread must not keep the JVM alive
        threads.setDaemon(true);
        ThreadPoolExecutor publisher =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        publisher.allowCoreThreadTimeOut(true);
        return publisher;
    }

    /** Releases the resources for publishing. */
    default void close() {}

    /** Publishes by a recoverer of the application. A record is published when the recoverer returns. */
    static DeadLetters of(ConsumerRecordRecoverer recoverer) {
        return (record, failure) -> {
            recoverer.accept(record, failure);
            return CompletableFuture.completedFuture(null);
        };
    }

    /** Publishes to {@code <topic>-dlt} with Spring's headers. No thread waits for the answer of the broker. */
    static DeadLetters to(KafkaOperations<?, ?> template) {
        return new ToTopic(template);
    }

    /**
     * Spring's recoverer, set up to choose the partition by the key. By default, it publishes to the partition of the
     * same number, which fails if the dead letter topic has fewer partitions. A key or a value that could not be
     * deserialized is published as its original bytes.
     */
    final class ToTopic extends DeadLetterPublishingRecoverer implements DeadLetters {
        /** The result of the send, which {@code publish} passes to a caller a few frames up the stack. */
        private static final ThreadLocal<@Nullable CompletableFuture<?>> published = new ThreadLocal<>();

        private final Map<Raw, KafkaTemplate<Object, Object>> templates = new ConcurrentHashMap<>();

        /** Which parts of a record are bytes. A serializer for another type would refuse or encode them. */
        private record Raw(boolean key, boolean value) {

            KafkaTemplate<Object, Object> templateOf(ProducerFactory<Object, Object> factory) {
                Map<String, Object> bytes = new HashMap<>();
                if (key) {
                    bytes.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
                }
                if (value) {
                    bytes.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
                }
                KafkaTemplate<Object, Object> template = new KafkaTemplate<>(factory, bytes);
                // instances of serializers take precedence over the configuration, in the copy of the factory, too
                if (template.getProducerFactory() instanceof DefaultKafkaProducerFactory<Object, Object> copy) {
                    if (key) {
                        copy.setKeySerializer(null);
                    }
                    if (value) {
                        copy.setValueSerializer(null);
                    }
                }
                // the caller may have begun a transaction, but with the configured template
                template.setAllowNonTransactional(true);
                return template;
            }
        }

        ToTopic(KafkaOperations<?, ?> template) {
            super(template, (record, failure) -> new TopicPartition(record.topic() + "-dlt", -1));
        }

        @Override
        public CompletionStage<?> publish(ConsumerRecord<?, ?> record, Exception failure) {
            published.remove();
            try {
                accept(record, null, failure);
                CompletableFuture<?> sent = published.get();
                return sent == null ? CompletableFuture.completedFuture(null) : sent;
            } finally {
                published.remove();
            }
        }

        @Override
        protected void publish(
                ProducerRecord<Object, Object> outRecord,
                KafkaOperations<Object, Object> kafkaTemplate,
                ConsumerRecord<?, ?> inRecord) {
            published.set(templateFor(outRecord, kafkaTemplate).send(outRecord));
        }

        @Override
        public void close() {
            templates.values().forEach(KafkaTemplate::destroy);
        }

        private KafkaOperations<Object, Object> templateFor(
                ProducerRecord<Object, Object> record, KafkaOperations<Object, Object> configured) {
            Raw raw = new Raw(record.key() instanceof byte[], record.value() instanceof byte[]);
            if (!(raw.key() || raw.value())) {
                return configured;
            }
            try {
                ProducerFactory<Object, Object> factory = configured.getProducerFactory();
                return factory == null ? configured : templates.computeIfAbsent(raw, each -> each.templateOf(factory));
            } catch (UnsupportedOperationException e) {
                // a RoutingKafkaTemplate has one factory for each topic, and factories of other classes may have no
                // copies: then the serializer of the application decides
                return configured;
            }
        }
    }
}
