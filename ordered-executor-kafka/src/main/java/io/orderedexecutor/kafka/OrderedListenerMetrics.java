package io.orderedexecutor.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one ordered listener, {@code ordered.kafka.*}, with the tags {@code listener} and {@code topic}. There
 * are no meters per partition or key: partitions and keys come and go, but their meters would stay.
 */
public final class OrderedListenerMetrics {
    private OrderedListenerMetrics() {}

    /**
     * Registers the meters of a listener. The meters of a topic are registered when its first partition is assigned. To
     * be called before the container is started.
     *
     * @param container the container of the listener; it must stay reachable while it is to be measured
     * @param registry the registry of the meters
     */
    public static void bind(OrderedMessageListenerContainer<?, ?> container, MeterRegistry registry) {
        container.setEvents(new Events(container, registry));
    }

    private static final class Events implements ListenerEvents {
        private final OrderedMessageListenerContainer<?, ?> container;
        private final MeterRegistry registry;
        private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();

        Events(OrderedMessageListenerContainer<?, ?> container, MeterRegistry registry) {
            this.container = container;
            this.registry = registry;
        }

        private TopicMeters of(String topic) {
            TopicMeters known = topics.get(topic);
            // called for each record: no lambda is created once the meters of the topic exist
            return known == null
                    ? topics.computeIfAbsent(topic, each -> new TopicMeters(container, registry, each))
                    : known;
        }

        @Override
        public void assigned(String topic) {
            of(topic);
        }

        @Override
        public void ended(String topic, Outcome outcome) {
            of(topic).ended(outcome).increment();
        }

        @Override
        public void deduplicated(String topic) {
            of(topic).deduplicated.increment();
        }

        @Override
        public void retried(String topic) {
            of(topic).retries.increment();
        }

        @Override
        public void committed(String topic, Duration took, boolean success) {
            of(topic)
                    .timer("ordered.kafka.commits", success ? "success" : "failure")
                    .record(took);
        }

        @Override
        public void drained(String topic, Duration took, boolean complete) {
            of(topic)
                    .timer("ordered.kafka.drains", complete ? "complete" : "timed-out")
                    .record(took);
        }

        @Override
        public void metadata(String topic, int characters) {
            of(topic).metadata.record(characters);
        }
    }

    private static final class TopicMeters {
        private final OrderedMessageListenerContainer<?, ?> container;
        private final MeterRegistry registry;
        private final String topic;
        private final Tags tags;
        private final Map<ListenerEvents.Outcome, Counter> ends = new ConcurrentHashMap<>();
        private final Counter deduplicated;
        private final Counter retries;
        private final DistributionSummary metadata;

        TopicMeters(OrderedMessageListenerContainer<?, ?> container, MeterRegistry registry, String topic) {
            this.container = container;
            this.registry = registry;
            this.topic = topic;
            this.tags = Tags.of("listener", container.name(), "topic", topic);
            gauge("unsettled", "records handed out and not settled", each -> sum(each, PartitionSnapshot::unsettled));
            gauge("running", "records that run", each -> sum(each, PartitionSnapshot::running));
            gauge(
                    "parked",
                    "records that stopped their key",
                    each -> sum(each, partition -> partition.parked().size()));
            gauge("partitions", "partitions that are assigned", List::size);
            gauge(
                    "partitions.paused",
                    "partitions whose window is full",
                    each -> sum(each, partition -> partition.paused() ? 1 : 0));
            gauge(
                    "ahead",
                    "settled offsets beyond the committed offset: the maximum over the partitions",
                    each -> max(each, PartitionSnapshot::ahead));
            TimeGauge.builder(
                            "ordered.kafka.oldest",
                            container,
                            TimeUnit.SECONDS,
                            ignored -> max(partitions(), TopicMeters::ageOfOldest))
                    .description("age of the record that holds a commit back")
                    .tags(tags)
                    .register(registry);
            this.deduplicated = Counter.builder("ordered.kafka.deduplicated")
                    .description("records delivered again that the last owner had settled: not run again")
                    .tags(tags)
                    .register(registry);
            this.retries = Counter.builder("ordered.kafka.retries")
                    .description("attempts after the first")
                    .tags(tags)
                    .register(registry);
            this.metadata = DistributionSummary.builder("ordered.kafka.metadata")
                    .description("length of the metadata of commits")
                    .baseUnit("characters")
                    .tags(tags)
                    .register(registry);
        }

        private void gauge(String name, String description, ToDoubleFunction<List<PartitionSnapshot>> value) {
            Gauge.builder("ordered.kafka." + name, container, ignored -> value.applyAsDouble(partitions()))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        private List<PartitionSnapshot> partitions() {
            return container.partitions().stream()
                    .filter(each -> each.partition().topic().equals(topic))
                    .toList();
        }

        private static double sum(List<PartitionSnapshot> partitions, ToDoubleFunction<PartitionSnapshot> value) {
            return partitions.stream().mapToDouble(value).sum();
        }

        private static double max(List<PartitionSnapshot> partitions, ToDoubleFunction<PartitionSnapshot> value) {
            return partitions.stream().mapToDouble(value).max().orElse(0);
        }

        private static double ageOfOldest(PartitionSnapshot partition) {
            PartitionSnapshot.RecordSnapshot oldest = partition.oldest();
            return oldest == null ? 0 : oldest.age().toNanos() / 1e9;
        }

        Counter ended(ListenerEvents.Outcome outcome) {
            Counter known = ends.get(outcome);
            return known == null ? ends.computeIfAbsent(outcome, this::register) : known;
        }

        private Counter register(ListenerEvents.Outcome outcome) {
            return Counter.builder("ordered.kafka.records")
                    .description("records that ended")
                    .tags(tags)
                    .tag("outcome", outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .register(registry);
        }

        Timer timer(String name, String outcome) {
            return Timer.builder(name).tags(tags).tag("outcome", outcome).register(registry);
        }
    }
}
