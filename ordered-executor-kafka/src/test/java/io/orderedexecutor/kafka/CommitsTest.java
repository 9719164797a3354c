package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When it is time to commit, by a clock that the test moves. */
class CommitsTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final AtomicLong nanos = new AtomicLong();
    private final List<OffsetCommitCallback> underWay = new ArrayList<>();
    private final MockConsumer<String, String> consumer = new MockConsumer<>("earliest") {
        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            underWay.add(callback);
        }
    };
    private final OrderedListenerSettings settings = OrderedListenerSettings.defaults();
    private final Commits<String, String> commits = new Commits<>(
            consumer,
            new ListenerSetup(
                    "test",
                    "group",
                    settings,
                    StripedExecutor.builder().executor(Runnable::run).build(),
                    new RecordKey(null, "test"),
                    null,
                    Runnable::run,
                    ListenerEvents.NONE,
                    (over, pause) -> {},
                    (record, refusal) -> {}),
            () -> "cluster",
            nanos::get);

    /** Settled just after a commit, and polls that take as long as they may: committed within the interval. */
    @Test
    void nothingStaysUncommittedForLongerThanTheInterval() {
        Duration poll = Commits.longestPoll(settings);
        // the worst moment: a poll returns just before the next commit is due
        nanos.addAndGet(settings.commitInterval().dividedBy(2).toNanos() - 1);
        assertThat(commits.isTime()).isFalse();
        nanos.addAndGet(poll.toNanos());
        assertThat(commits.isTime()).isTrue();
        assertThat(Duration.ofNanos(nanos.get())).isLessThanOrEqualTo(settings.commitInterval());
    }

    @Test
    void oneCommitAtATime() {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment = new Assignment<>(PARTITION, 5, null, CommitMetadata.NONE, each -> {});
        commits.async(List.of(assignment));
        assertThat(underWay).hasSize(1);
        nanos.addAndGet(settings.commitInterval().toNanos());
        assertThat(commits.isTime()).isFalse();
        underWay.get(0).onComplete(Map.of(), null);
        assertThat(commits.isTime()).isTrue();
        assertThat(assignment.committedOffset()).isEqualTo(5);
    }

    @Test
    @DisplayName("what shows a membership is committed though it is committed already, and again until it is accepted")
    void confirmation() {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment =
                new Assignment<>(PARTITION, 5, new OffsetAndMetadata(5), CommitMetadata.NONE, each -> {});
        List<String> told = new ArrayList<>();
        commits.async(List.of(assignment));
        assertThat(underWay).isEmpty();
        commits.confirm(List.of(assignment), () -> told.add("member"));
        assertThat(underWay).hasSize(1);
        underWay.remove(0).onComplete(Map.of(), new IllegalStateException("broker"));
        commits.confirm(List.of(assignment), () -> told.add("member"));
        assertThat(underWay).as("not at each turn").isEmpty();
        nanos.addAndGet(settings.commitInterval().toNanos());
        commits.confirm(List.of(assignment), () -> told.add("member"));
        commits.confirm(List.of(assignment), () -> told.add("member"));
        assertThat(underWay).hasSize(1);
        assertThat(told).isEmpty();
        underWay.remove(0).onComplete(Map.of(), null);
        assertThat(told).containsExactly("member");
        commits.confirm(List.of(), () -> told.add("nothing is assigned"));
        assertThat(told).containsExactly("member", "nothing is assigned");
    }

    @Test
    void aCommitThatFailsStaysDue() {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment = new Assignment<>(PARTITION, 5, null, CommitMetadata.NONE, each -> {});
        commits.async(List.of(assignment));
        underWay.get(0).onComplete(Map.of(), new IllegalStateException("broker"));
        assertThat(assignment.committedOffset()).isEqualTo(-1);
        nanos.addAndGet(settings.commitInterval().toNanos());
        assertThat(commits.isTime()).isTrue();
        commits.async(List.of(assignment));
        assertThat(underWay).hasSize(2);
    }
}
