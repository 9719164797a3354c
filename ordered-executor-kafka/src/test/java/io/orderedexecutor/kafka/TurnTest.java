package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.MessageListener;

/** What a consumer does on its thread, step by step, with commits that fail in every way. */
class TurnTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    /** What the next commits fail with. */
    private final Deque<RuntimeException> failures = new ArrayDeque<>();

    private final List<OffsetAndMetadata> attempts = new ArrayList<>();
    private final List<OffsetAndMetadata> commits = new ArrayList<>();
    private int polls;
    private int epoch = 1;
    private boolean isNewEpochWithEachFailure;

    private final MockConsumer<String, String> consumer = new MockConsumer<>("earliest") {
        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            OffsetAndMetadata commit = offsets.get(PARTITION);
            attempts.add(commit);
            RuntimeException failure = failures.poll();
            if (failure != null) {
                epoch += isNewEpochWithEachFailure ? 1 : 0;
                throw failure;
            }
            commits.add(commit);
        }

        @Override
        @SuppressWarnings("removal") // nothing else makes one
        public synchronized ConsumerGroupMetadata groupMetadata() {
            return new ConsumerGroupMetadata("group", epoch, "member", Optional.empty());
        }

        @Override
        public synchronized Set<TopicPartition> assignment() {
            if (brokenAssignments-- > 0) {
                throw new IllegalStateException("of the consumer");
            }
            return super.assignment();
        }

        @Override
        public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
            polls++;
            return super.poll(timeout);
        }
    };

    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(steps::add).build();
    private final List<String> ran = new ArrayList<>();
    private @Nullable Runnable during;
    private int brokenAssignments;
    private int brokenPauses;

    /** What the container was told of; null if a test expects nothing. */
    private @Nullable List<Throwable> failed;

    private Turn<String, String> turn = turn(1);

    private Turn<String, String> turn(int attempts) {
        ListenerSetup setup = new ListenerSetup(
                "test",
                "group",
                Containers.with(10, attempts, FailurePolicy.PARK, Duration.ZERO),
                executor,
                new RecordStripe(NullKey.PARTITION, null, "test"),
                null,
                new ListenerEvents() {
                    @Override
                    public void ended(String topic, Outcome outcome) {
                        if (failed != null) {
                            throw new IllegalArgumentException("a meter of this name has other tags");
                        }
                    }
                },
                (over, pause) -> {
                    if (brokenPauses-- > 0) {
                        throw new IllegalStateException("of the timer");
                    }
                },
                (record, failure) -> {
                    if (failed == null) {
                        throw new AssertionError(failure);
                    }
                    failed.add(failure);
                    turn.giveUp();
                });
        MessageListener<String, String> listener = record -> {
            if (record.key().equals("bad")) {
                throw new IllegalStateException("bad");
            }
            ran.add(record.value());
            Runnable now = during;
            during = null;
            if (now != null) {
                now.run();
            }
        };
        RecordListener<String, String> calls = new RecordListener<>(
                listener, ObservationRegistry.NOOP, (record, id, registry) -> Observation.NOOP, () -> null, "group");
        consumer.assign(Set.of(PARTITION));
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        consumer.updateEndOffsets(Map.of(PARTITION, 100L));
        return new Turn<>(
                consumer,
                setup,
                new RecordRunner<>(setup, calls, "client", consumer),
                () -> "cluster",
                partition -> false,
                false);
    }

    private void handOut(String... keys) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            records.add(new ConsumerRecord<>("t", 0, i, keys[i], keys[i] + i));
        }
        turn.handOut(new ConsumerRecords<>(
                Map.of(PARTITION, records), Map.of(PARTITION, new OffsetAndMetadata(keys.length))));
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }

    private @Nullable OffsetAndMetadata lastCommit() {
        return commits.isEmpty() ? null : commits.get(commits.size() - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000})
    @DisplayName("what throws before a poll, once or each time, is told once; nothing is handed out from then on")
    void whatThrowsBeforeAPoll(int times) {
        failed = new ArrayList<>();
        handOut("a");
        brokenAssignments = times;
        for (int polls = 0; polls < 5; polls++) {
            turn.before();
        }
        handOut("b");
        assertThat(failed)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("of the consumer"));
        assertThat(ran).containsExactly("a0");
    }

    @Test
    @DisplayName("what throws on a worker outside of the listener is told, and no later record of the key runs")
    void whatThrowsOnAWorker() {
        failed = new ArrayList<>();
        turn = turn(2);
        brokenPauses = 1;
        handOut("bad", "bad", "a");
        assertThat(failed)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("of the timer"));
        assertThat(ran).isEmpty();
        turn.before();
        turn.stop();
        assertThat(lastCommit()).isIn(null, new OffsetAndMetadata(0));
    }

    @Test
    @DisplayName("a failure that cannot be printed parks its record all the same")
    void unprintable() {
        failed = new ArrayList<>();
        during = () -> {
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw new IllegalArgumentException("no message");
                }
            };
        };
        handOut("a", "a", "b");
        assertThat(failed).isEmpty();
        assertThat(ran).containsExactly("a0", "b2");
        assertThat(turn.assignments().get(PARTITION).parked()).containsOnlyKeys(0L);
    }

    @Test
    @DisplayName("events that throw decide nothing: what ran is settled and committed")
    void eventsDecideNothing() {
        failed = new ArrayList<>();
        handOut("a", "b");
        turn.stop();
        assertThat(failed).isEmpty();
        assertThat(ran).containsExactly("a0", "b1");
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    void aStopCommitsWhatIsSettled() {
        handOut("a", "b");
        turn.stop();
        assertThat(ran).containsExactly("a0", "b1");
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
        assertThat(turn.assignments()).isEmpty();
        assertThat(polls).isZero();
    }

    /** Nobody polls any more at a stop: the rebalance has to be completed, or the commit would never be accepted. */
    @Test
    void aStopDuringARebalanceCompletesItAndCommits() {
        handOut("a", "b");
        failures.add(new RebalanceInProgressException());
        failures.add(new RebalanceInProgressException());
        turn.stop();
        assertThat(polls).isEqualTo(2);
        assertThat(consumer.paused()).containsExactly(PARTITION);
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    void aRevocationDoesNotPoll() {
        handOut("a");
        failures.add(new RebalanceInProgressException());
        turn.revoke(Set.of(PARTITION));
        assertThat(polls).isZero();
        assertThat(attempts).hasSize(1);
        assertThat(commits).isEmpty();
    }

    @Test
    void aWakeUpInARevocationIsNotTakenForACommit() {
        handOut("a");
        failures.add(new WakeupException());
        turn.revoke(Set.of(PARTITION));
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(1));
    }

    @Test
    void aTimeoutInARevocationEndsIt() {
        handOut("a");
        failures.add(new TimeoutException("broker"));
        turn.revoke(Set.of(PARTITION));
        assertThat(attempts).hasSize(1);
        assertThat(commits).isEmpty();
        assertThat(turn.assignments()).isEmpty();
    }

    /** The commit was under way while the broker gave the member a new epoch: the consumer does not repeat it. */
    @Test
    void aCommitWithAStaleEpochIsRepeated() {
        handOut("a");
        failures.add(new CommitFailedException("stale member epoch"));
        failures.add(new CommitFailedException("stale member epoch"));
        isNewEpochWithEachFailure = true;
        turn.revoke(Set.of(PARTITION));
        assertThat(attempts).hasSize(3);
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(1));
    }

    /** The member was thrown out: somebody else owns the partition, and it must not be asked for ever. */
    @Test
    void aCommitOfWhoIsNoMemberAnyMoreIsNot() {
        handOut("a");
        failures.add(new CommitFailedException("unknown member"));
        turn.stop();
        assertThat(attempts).hasSize(1);
        assertThat(commits).isEmpty();
    }

    @Test
    void metadataThatIsTooLargeIsLeftOut() {
        handOut("bad", "b");
        failures.add(new OffsetMetadataTooLarge());
        turn.revoke(Set.of(PARTITION));
        assertThat(attempts).hasSize(2);
        assertThat(attempts.get(0).metadata()).isNotEmpty();
        // nothing but the offset, which was not committed before
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(0));
    }

    @Test
    void nothingIsCommittedForALostPartition() {
        handOut("a", "b");
        turn.lose(Set.of(PARTITION));
        turn.stop();
        assertThat(attempts).isEmpty();
        assertThat(turn.assignments()).isEmpty();
    }

    /** No callback has told of it: what the consumer says is believed. */
    @Test
    void nothingIsCommittedForAPartitionThatTheConsumerHasNoMore() {
        handOut("a", "b");
        consumer.assign(Set.of());
        turn.stop();
        assertThat(attempts).isEmpty();
    }

    /** What was polled and thrown away at a stop is behind the position, and was never handed out. */
    @Test
    void thePositionIsNotCommittedAtAStop() {
        handOut("a");
        consumer.seek(PARTITION, 50);
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(1));
    }

    /** Or the next owner would run the key at the same time. */
    @Test
    void aRevocationAfterASeekBackAwaitsWhatWasBegunBeforeIt() {
        List<Boolean> interrupted = new ArrayList<>();
        during = () -> {
            handOut("a");
            handOut("a");
            // it cannot end during this, and there is no time to wait
            turn.revoke(Set.of(PARTITION));
            interrupted.add(Thread.interrupted());
        };
        handOut("a");
        assertThat(interrupted).containsExactly(true);
        assertThat(ran).containsExactly("a0");
        assertThat(commits).containsExactly(new OffsetAndMetadata(0));
    }

    @Test
    void aSeekBackRunsTheRecordsAgain() {
        handOut("a", "b", "c");
        handOut("a");
        assertThat(ran).containsExactly("a0", "b1", "c2", "a0");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(1));
    }
}
