package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When it is time to commit, by a clock that the test moves. */
class CommitsTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final AtomicLong nanos = new AtomicLong();
    private final List<OffsetCommitCallback> underWay = new ArrayList<>();
    private RuntimeException refusal = new IllegalStateException();
    private final MockConsumer<String, String> consumer = new MockConsumer<>("earliest") {
        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            underWay.add(callback);
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            throw refusal;
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

    /** A broker may be away for hours, and each commit has the metadata of all partitions. */
    @Test
    void failuresOfOneKindAreLoggedOnceUntilACommitIsAccepted() {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment = new Assignment<>(PARTITION, 5, null, CommitMetadata.NONE, each -> {});
        try (LogLines log = new LogLines(Commits.class.getName())) {
            answer(assignment, new IllegalStateException("broker"));
            answer(assignment, new IllegalStateException("broker"));
            answer(assignment, new CommitFailedException("unknown member"));
            answer(assignment, new IllegalStateException("broker"));
            answer(assignment, null);
            assertThat(log.lines())
                    .hasSize(3)
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("WARN ").contains("{t-0=5}"),
                            line -> assertThat(line).startsWith("WARN "),
                            line -> assertThat(line).startsWith("INFO ").contains("accepts commits again"));
            answer(new Assignment<>(PARTITION, 6, null, CommitMetadata.NONE, each -> {}), new IllegalStateException());
            assertThat(log.lines()).hasSize(4).last().asString().startsWith("WARN ");
        }
    }

    @Test
    void theFailureOfALastCommitIsLogged() {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment = new Assignment<>(PARTITION, 5, null, CommitMetadata.NONE, each -> {});
        answer(assignment, new IllegalStateException("broker"));
        refusal = new IllegalStateException("broker");
        try (LogLines log = new LogLines(Commits.class.getName())) {
            commits.sync(
                    List.of(assignment), nanos.get() + Duration.ofSeconds(1).toNanos(), false);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .endsWith("{t-0=5}");
        }
    }

    private void answer(Assignment<String, String> assignment, @Nullable Exception failure) {
        commits.async(List.of(assignment));
        underWay.remove(0).onComplete(Map.of(), failure);
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                arguments(null, true),
                arguments(new RebalanceInProgressException("in the test"), true),
                arguments(new StaleMemberEpochException("in the test"), true),
                arguments(new OffsetMetadataTooLarge("in the test"), true),
                arguments(new WakeupException(), false),
                arguments(new DisconnectException(), false),
                arguments(new RetriableCommitFailedException("in the test"), false),
                arguments(new RetriableCommitFailedException(new TimeoutException()), false),
                arguments(new RetriableCommitFailedException(new UnknownTopicOrPartitionException()), true),
                arguments(new CommitFailedException("unknown member"), true));
    }

    @ParameterizedTest
    @MethodSource("answers")
    @DisplayName("the time without an answer begins with the first commit, and ends with any answer")
    void withoutAnAnswer(@Nullable Exception failure, boolean isAnswer) {
        consumer.assign(Set.of(PARTITION));
        Assignment<String, String> assignment = new Assignment<>(PARTITION, 5, null, CommitMetadata.NONE, each -> {});
        assertThat(commits.unanswered()).isZero();
        commits.async(List.of(assignment));
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(commits.unanswered()).hasSeconds(3);
        underWay.remove(0).onComplete(Map.of(), new TimeoutException("in the test"));
        commits.async(List.of(assignment));
        nanos.addAndGet(Duration.ofSeconds(4).toNanos());
        underWay.remove(0).onComplete(Map.of(), failure);
        assertThat(commits.unanswered()).isEqualTo(isAnswer ? Duration.ZERO : Duration.ofSeconds(7));
        consumer.assign(Set.of());
        commits.confirm(List.of(assignment), () -> {});
        assertThat(commits.unanswered()).as("nothing is assigned").isZero();
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
