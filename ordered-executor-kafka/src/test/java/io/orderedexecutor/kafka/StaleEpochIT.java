package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Under the {@code consumer} protocol a commit may be under way while the broker gives its member a new epoch, of which
 * the consumer has not heard: it is refused, and the consumer does not repeat it.
 */
class StaleEpochIT {
    private static final Map<String, Object> CONSUMER_PROTOCOL = Map.of("group.protocol", "consumer");

    /** No commit on its own. */
    private static final OrderedListenerSettings SETTINGS =
            OrderedListenerSettings.defaults().withCommitInterval(Duration.ofMinutes(10));

    private final Containers containers = new Containers();
    private final Ledger ledger = new Ledger();

    @AfterEach
    void stop() {
        containers.close();
    }

    @Test
    void k4_theLastCommitIsRepeatedWithTheNewEpoch() throws Exception {
        String topic = Broker.topic(1);
        try (BrokerProxy proxy = new BrokerProxy(Duration.ZERO)) {
            Map<String, Object> throughProxy = new HashMap<>(CONSUMER_PROTOCOL);
            throughProxy.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, proxy.servers());
            var container = containers.container(
                    topic, topic, containers.executor(2), throughProxy, record -> ledger.process(record, () -> {}));
            container.setSettings(SETTINGS);
            container.start();
            Broker.send(ledger.next(topic, 30, 5));
            await().atMost(Duration.ofSeconds(30)).until(() -> ledger.count() == 30);
            long before = Broker.committed(topic, topic, 0);
            proxy.holdTheNextEpoch();
            try (Consumer<?, ?> other =
                    Broker.consumers(topic, CONSUMER_PROTOCOL).createConsumer()) {
                // there is one partition: it stays where it is, and its member gets a new epoch
                other.subscribe(List.of(topic));
                other.poll(Duration.ofMillis(100));
                assertThat(proxy.awaitHeld()).isTrue();
                container.stop();
            }
            assertThat(before).isLessThan(30);
            assertThat(Broker.committed(topic, topic, 0)).isEqualTo(30);
        }
    }
}
