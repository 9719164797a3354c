package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/** Containers for one test, stopped at its end. */
final class Containers implements AutoCloseable {
    static final OrderedListenerSettings QUICK = new OrderedListenerSettings(
            1000,
            Duration.ofMillis(100),
            true,
            Duration.ofSeconds(10),
            NullKey.PARTITION,
            3,
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            List.of(),
            FailurePolicy.PARK);

    private final List<OrderedMessageListenerContainer<String, String>> containers = new ArrayList<>();
    private final List<StripedExecutor> executors = new ArrayList<>();

    StripedExecutor executor(int threads) {
        StripedExecutor executor =
                StripedExecutor.builder().name("records").threads(threads).build();
        executors.add(executor);
        return executor;
    }

    OrderedMessageListenerContainer<String, String> container(
            String group,
            String topic,
            StripedExecutor executor,
            Map<String, Object> consumer,
            MessageListener<String, String> listener) {
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId(group);
        return container(group, properties, executor, consumer, listener);
    }

    OrderedMessageListenerContainer<String, String> container(
            String group,
            ContainerProperties properties,
            StripedExecutor executor,
            Map<String, Object> consumer,
            MessageListener<String, String> listener) {
        OrderedMessageListenerContainer<String, String> container =
                new OrderedMessageListenerContainer<>(Broker.consumers(group, consumer), properties, executor);
        container.setBeanName(group);
        container.setSettings(QUICK);
        container.setupMessageListener(listener);
        containers.add(container);
        return container;
    }

    static OrderedListenerSettings with(int window, int attempts, FailurePolicy policy, Duration drain) {
        return new OrderedListenerSettings(
                window,
                QUICK.commitInterval(),
                true,
                drain,
                NullKey.PARTITION,
                attempts,
                QUICK.backoff(),
                QUICK.ceiling(),
                List.of(),
                policy);
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("not within 30 s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        containers.forEach(OrderedMessageListenerContainer::stop);
        executors.forEach(StripedExecutor::shutdownNow);
    }
}
