package io.orderedexecutor.kafka;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.MessageListener;

/** What the tests of ordered listeners have in common: an assignment without a consumer. */
final class OneAssignment {
    /** Parks what fails; runs it again on the thread that asks for that. */
    static final RecordRunner<String, String> RUNNER = runner();

    private OneAssignment() {}

    private static RecordRunner<String, String> runner() {
        StripedExecutor direct =
                StripedExecutor.builder().executor(Runnable::run).build();
        ListenerSetup setup = new ListenerSetup(
                "test",
                "group",
                OrderedListenerSettings.defaults(),
                direct,
                new RecordKey(null, "test"),
                null,
                Runnable::run,
                ListenerEvents.NONE,
                (over, pause) -> {},
                (record, refusal) -> {
                    throw new IllegalStateException(refusal);
                });
        MessageListener<String, String> listener = record -> {};
        return new RecordRunner<>(
                setup,
                new RecordListener<>(
                        listener,
                        ObservationRegistry.NOOP,
                        (record, client, registry) -> Observation.NOOP,
                        () -> null,
                        "group"),
                "client",
                new MockConsumer<>("earliest"),
                new Membership(Duration.ofMillis(Long.MAX_VALUE), () -> 0));
    }

    static Assignment<String, String> empty() {
        return new Assignment<>(new TopicPartition("t", 0), 0, null, CommitMetadata.NONE, each -> {});
    }

    static TrackedRecord<String, String> add(Assignment<String, String> assignment, long offset) {
        return add(assignment, offset, null);
    }

    static TrackedRecord<String, String> add(
            Assignment<String, String> assignment, long offset, @Nullable Exception unusable) {
        TrackedRecord<String, String> record = new TrackedRecord<>(
                new ConsumerRecord<>("t", 0, offset, "key", "value"), assignment, unusable, System.nanoTime());
        assignment.add(record);
        return record;
    }
}
