package io.orderedexecutor.kafka.autoconfigure;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers hints for a native image that annotations do not provide: the proxy through which listeners see the
 * consumer, and the methods of records, which expressions call.
 */
final class OrderedKafkaRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.proxies().registerJdkProxy(Consumer.class);
        hints.reflection().registerType(ConsumerRecord.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
