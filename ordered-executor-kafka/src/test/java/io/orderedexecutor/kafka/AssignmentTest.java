package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.CommitMetadata.Scope;
import io.orderedexecutor.kafka.TrackedRecord.State;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.MessageListener;

/** The states of an assignment and of its records, step by step on one thread. */
class AssignmentTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Scope SCOPE = new Scope("cluster", "group", PARTITION);

    private boolean direct;
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(this::hand).build();
    private final List<String> ran = new ArrayList<>();
    private final Set<String> failing = new HashSet<>();
    private final Deque<CompletableFuture<@Nullable Void>> pauses = new ArrayDeque<>();
    private @Nullable Runnable during;
    private final RecordRunner<String, String> runner = runner();

    private void hand(Runnable step) {
        if (direct) {
            step.run();
        } else {
            steps.add(step);
        }
    }

    private RecordRunner<String, String> runner() {
        ListenerSetup setup = new ListenerSetup(
                "test",
                "group",
                Containers.with(10, 3, Duration.ZERO),
                executor,
                new RecordKey(null, "test"),
                null,
                Runnable::run,
                ListenerEvents.NONE,
                (over, pause) -> pauses.add(over),
                (record, refusal) -> {
                    throw new AssertionError(refusal);
                });
        MessageListener<String, String> listener = record -> {
            if (during != null) {
                during.run();
            }
            if (failing.contains(record.value())) {
                throw new IllegalStateException(record.value());
            }
            ran.add(record.value());
        };
        RecordListener<String, String> calls = new RecordListener<>(
                listener, ObservationRegistry.NOOP, (record, id, registry) -> Observation.NOOP, () -> null, "group");
        return new RecordRunner<>(
                setup,
                calls,
                "client",
                new MockConsumer<>("earliest"),
                new Membership(Duration.ofMillis(Long.MAX_VALUE), () -> 0));
    }

    private Assignment<String, String> assignment(long next, CommitMetadata restored) {
        return new Assignment<>(PARTITION, next, new OffsetAndMetadata(next), restored, each -> {});
    }

    private TrackedRecord<String, String> add(Assignment<String, String> assignment, long offset, String key) {
        return add(assignment, new ConsumerRecord<>("t", 0, offset, key, key + offset));
    }

    private TrackedRecord<String, String> add(
            Assignment<String, String> assignment, ConsumerRecord<String, String> record) {
        TrackedRecord<String, String> tracked = new TrackedRecord<>(record, assignment, null, 0);
        assignment.add(tracked);
        tracked.future = executor.submitAsync(record.key(), () -> runner.begin(tracked));
        return tracked;
    }

    private void runAll() {
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }

    private @Nullable OffsetAndMetadata due(Assignment<String, String> assignment) {
        return assignment.due(4096, SCOPE);
    }

    private static CommitMetadata decode(OffsetAndMetadata commit) {
        return CommitMetadata.decode(commit.offset(), commit.metadata(), Long.MAX_VALUE, SCOPE);
    }

    @Test
    void theWatermarkIsTheFirstThatIsNotSettled() {
        Assignment<String, String> assignment = assignment(5, CommitMetadata.NONE);
        assertThat(due(assignment)).isNull();
        failing.add("a5");
        add(assignment, 5, "a");
        // gaps: compaction, markers
        add(assignment, 9, "b");
        add(assignment, 10, "a");
        add(assignment, 20, "b");
        runAll();
        assertThat(ran).containsExactly("b9", "b20");
        OffsetAndMetadata commit = due(assignment);
        assertThat(commit).isNotNull();
        assertThat(commit.offset()).isEqualTo(5);
        assertThat(assignment.settledBeyond(5).open()).containsExactly(5, 10);
        assertThat(assignment.settledBeyond(5).highest()).isEqualTo(20);
        failing.clear();
        endPause();
        assertThat(ran).containsExactly("b9", "b20", "a5", "a10");
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(21));
    }

    private void endPause() {
        pauses.remove().complete(null);
        runAll();
    }

    @Test
    void whatIsSettledBeyondTheWatermarkIsInTheMetadata() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        add(assignment, 0, "a");
        failing.add("b1");
        add(assignment, 1, "b");
        add(assignment, 2, "a");
        runAll();
        OffsetAndMetadata commit = due(assignment);
        assertThat(commit).isNotNull();
        assertThat(commit.offset()).isEqualTo(1);
        CommitMetadata read = decode(commit);
        assertThat(read.isSettled(1)).isFalse();
        assertThat(read.isSettled(2)).isTrue();
        assignment.committed(commit);
        assertThat(due(assignment)).isNull();
    }

    /** The end of a dropped record makes its successor ready. */
    @Test
    void theSuccessorOfADroppedRecordDoesNotStart() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        TrackedRecord<String, String> first = add(assignment, 0, "a");
        TrackedRecord<String, String> second = add(assignment, 1, "a");
        assignment.drain();
        runAll();
        assertThat(ran).isEmpty();
        assertThat(first.state()).isEqualTo(State.DROPPED);
        assertThat(second.state()).isEqualTo(State.DROPPED);
        assertThat(assignment.awaitRunning(System.nanoTime())).isTrue();
        assertThat(due(assignment)).isNull();
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    /** In the middle of the sweep, before that comes to it. */
    @Test
    void theSuccessorOfADroppedRecordDoesNotOvertakeTheSweep() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        failing.add("a0");
        add(assignment, 0, "a");
        TrackedRecord<String, String> second = add(assignment, 1, "a");
        runAll();
        direct = true;
        assignment.drain();
        assertThat(ran).isEmpty();
        assertThat(second.state()).isEqualTo(State.DROPPED);
        assertThat(due(assignment)).isNull();
    }

    /** The first step of a drain is to be asked before each start: here it comes between two records of a key. */
    @Test
    void aRecordThatRunsDuringTheDrainIsCommittedAndItsSuccessorDoesNotStart() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        TrackedRecord<String, String> first = add(assignment, 0, "a");
        TrackedRecord<String, String> second = add(assignment, 1, "a");
        during = assignment::drain;
        runAll();
        assertThat(ran).containsExactly("a0");
        assertThat(first.state()).isEqualTo(State.SETTLED);
        assertThat(second.state()).isEqualTo(State.DROPPED);
        assertThat(assignment.awaitRunning(System.nanoTime())).isTrue();
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1));
    }

    @Test
    void whatFailsDuringTheDrainIsKafkasAgain() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        failing.add("a0");
        during = assignment::drain;
        runAll();
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(record.end).isDone();
        assertThat(pauses).isEmpty();
        assertThat(due(assignment)).isNull();
    }

    @Test
    void whatWaitsIsDroppedAndItsPauseForgotten() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        failing.add("a0");
        runAll();
        assertThat(record.state()).isEqualTo(State.WAITING);
        assertThat(record.end).isNotDone();
        assignment.drain();
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(record.end).isDone();
        assertThat(pauses.remove()).isCancelled();
        runAll();
        assertThat(executor.inspect().stats().active()).isZero();
    }

    /** A listener that catches the interrupt, and returns as if it had done its work, has not done it. */
    @Test
    void aDrainThatIsTooLongEndsAndWhatComesLaterChangesNothing() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        List<@Nullable OffsetAndMetadata> dueAtTheEnd = new ArrayList<>();
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        during = () -> {
            assignment.drain();
            assertThat(assignment.awaitRunning(System.nanoTime())).isFalse();
            dueAtTheEnd.add(due(assignment));
            assertThat(Thread.interrupted()).isTrue();
        };
        runAll();
        assertThat(dueAtTheEnd).containsExactly((OffsetAndMetadata) null);
        assertThat(record.end).isDone();
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(due(assignment)).isNull();
    }

    @Test
    void parkedUntilAnAction() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        failing.add("a0");
        add(assignment, 0, "a");
        add(assignment, 1, "a");
        runAll();
        endPause();
        endPause();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        assertThat(runner.unpark(assignment, 1, ParkedAction.SKIP)).isFalse();
        assertThat(runner.unpark(assignment, 0, ParkedAction.RETRY)).isTrue();
        runAll();
        // all attempts again
        endPause();
        endPause();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        assertThat(runner.unpark(assignment, 0, ParkedAction.SKIP)).isTrue();
        runAll();
        assertThat(ran).containsExactly("a1");
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(2));
    }

    /** What the last owner had open, and this one has not polled again yet, is lost if the next commit claims it. */
    @Test
    void openOffsetsThatAreNotPolledAgainYetAreCarriedOver() {
        CommitMetadata restored = new CommitMetadata(10, 30, -1, new long[] {10, 17, 25});
        Assignment<String, String> assignment = assignment(10, restored);
        assertThat(assignment.isSettled(polled(11, -1))).isTrue();
        assertThat(assignment.isSettled(polled(17, -1))).isFalse();
        assertThat(assignment.isSettled(polled(31, -1))).isFalse();
        add(assignment, 10, "a");
        assignment.advance(12);
        runAll();
        OffsetAndMetadata commit = due(assignment);
        assertThat(commit).isNotNull();
        assertThat(commit.offset()).isEqualTo(12);
        CommitMetadata next = decode(commit);
        assertThat(next.highest()).isEqualTo(30);
        assertThat(next.open()).containsExactly(17, 25);
    }

    private static ConsumerRecord<String, String> polled(long offset, int leaderEpoch) {
        return new ConsumerRecord<>(
                "t",
                0,
                offset,
                0,
                TimestampType.CREATE_TIME,
                1,
                1,
                "a",
                "a" + offset,
                new RecordHeaders(),
                leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch));
    }

    /** After an unclean election other records have the offsets that the last owner had settled. */
    @Test
    void whatALaterLeaderHasWrittenWasSettledByNobody() {
        Assignment<String, String> assignment = assignment(10, new CommitMetadata(10, 30, 4, new long[] {10, 17, 25}));
        assertThat(assignment.isSettled(polled(11, 3))).isTrue();
        assertThat(assignment.isSettled(polled(16, 4))).isTrue();
        // open, and new all the same: nothing behind it is claimed any more
        assertThat(assignment.isSettled(polled(17, 5))).isFalse();
        assertThat(assignment.isSettled(polled(18, 5))).isFalse();
        assertThat(assignment.settledBeyond(10).highest()).isEqualTo(16);
        add(assignment, polled(18, 5));
        CommitMetadata next = assignment.settledBeyond(10);
        assertThat(next.leaderEpoch()).isEqualTo(5);
        assertThat(next.isSettled(20)).isFalse();
    }

    @Test
    void aCommitTellsTheLeaderEpoch() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        failing.add("a1");
        add(assignment, polled(0, 6));
        runAll();
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1, Optional.of(6), ""));
        add(assignment, polled(1, 7));
        runAll();
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1, Optional.of(7), ""));
    }

    @Test
    void nothingGrowsWithTheDistance() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        failing.add("a0");
        add(assignment, 0, "a");
        for (long offset = 1; offset <= 20_000; offset++) {
            add(assignment, offset, "b");
            runAll();
            assignment.reap();
        }
        assertThat(assignment.unsettledCount()).isEqualTo(1);
        assertThat(assignment.settledBeyond(0).open()).containsExactly(0);
        assertThat(assignment.settledBeyond(0).encode(4096, SCOPE).length()).isLessThan(30);
        assertThat(ran).hasSize(20_000);
    }
}
