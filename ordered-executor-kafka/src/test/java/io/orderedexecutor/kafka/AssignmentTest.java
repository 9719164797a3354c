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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.MessageListener;

/** The states of an assignment and of its records, step by step on one thread. */
class AssignmentTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int SECONDS = 30;
    private static final Scope SCOPE = new Scope("cluster", "group", PARTITION);

    private boolean direct;
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(this::hand).build();
    private final List<String> ran = new ArrayList<>();
    private final Set<String> failing = new HashSet<>();
    private final Deque<CompletableFuture<@Nullable Void>> pauses = new ArrayDeque<>();
    private @Nullable Runnable during;

    /** What happens when a timer was started. */
    private @Nullable Runnable afterPause;

    /** What happens when a record is settled or begins to wait: each once. */
    private final Deque<Runnable> onSettled = new ArrayDeque<>();

    /** What the container was told of; null if a test expects nothing. */
    private @Nullable List<Throwable> failed;

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
                (over, pause) -> {
                    pauses.add(over);
                    if (afterPause != null) {
                        afterPause.run();
                    }
                },
                (record, failure) -> {
                    if (failed == null) {
                        throw new AssertionError(failure);
                    }
                    failed.add(failure);
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

    /** Two operators may find it parked, and the slower one comes when the other has decided. */
    @Test
    void onlyAParkedRecordIsTakenOutOfItsWait() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        failing.add("a0");
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        runAll();
        assertThat(runner.takeOutOfWait(record)).as("between two attempts").isFalse();
        endPause();
        endPause();
        assertThat(runner.unpark(assignment, 0, ParkedAction.RESUME)).isTrue();
        assertThat(runner.takeOutOfWait(record)).as("decided, and not run").isFalse();
        failing.clear();
        runAll();
        assertThat(ran).containsExactly("a0");
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1));
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
        assertThat(runner.unpark(assignment, 0, ParkedAction.RESUME)).isTrue();
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

    @Test
    @DisplayName("a record is shown as queued, running, waiting for a retry, parked, and running when it is resumed")
    void theStatesThatAreShown() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        List<String> shown = new ArrayList<>();
        Runnable look = () -> shown.add(Containers.statesOf(assignment));
        failing.add("a0");
        during = look;
        add(assignment, 0, "a");
        look.run();
        runAll();
        look.run();
        endPause();
        look.run();
        endPause();
        look.run();
        assertThat(shown)
                .containsExactly(
                        "queued", "running", "waiting", "running", "waiting", "running", "parked, listed as parked");
        shown.clear();
        failing.clear();
        assertThat(runner.unpark(assignment, 0, ParkedAction.RESUME)).isTrue();
        // until a worker is free
        look.run();
        runAll();
        assertThat(shown).containsExactly("waiting", "running");
        assertThat(ran).containsExactly("a0");
        assertThat(PartitionSnapshot.of(assignment).parked()).isEmpty();
    }

    private Assignment<String, String> assignment(Consumer<Assignment<String, String>> onSettled) {
        return new Assignment<>(PARTITION, 0, new OffsetAndMetadata(0), CommitMetadata.NONE, onSettled);
    }

    /** A record that has failed twice, of an assignment in which {@link #onSettled} happens. */
    private TrackedRecord<String, String> beforeItsLastAttempt() {
        failing.add("a0");
        TrackedRecord<String, String> record = add(
                assignment(each -> {
                    Runnable now = onSettled.poll();
                    if (now != null) {
                        now.run();
                    }
                }),
                0,
                "a");
        runAll();
        endPause();
        return record;
    }

    @Test
    @DisplayName("a record that is parked while a drain begins is not listed: nobody could do anything with it")
    void parkedBesideADrain() {
        TrackedRecord<String, String> record = beforeItsLastAttempt();
        Assignment<String, String> assignment = record.assignment;
        // between the time at which it waits and that at which it is listed
        onSettled.add(assignment::drain);
        endPause();
        assertThat(onSettled).isEmpty();
        assertThat(record.attempts()).isEqualTo(3);
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(assignment.parked()).isEmpty();
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("nothing is done with a parked record when a drain has begun, and who asks for it is told so")
    void nothingIsDoneDuringADrain(ParkedAction action) {
        TrackedRecord<String, String> record = beforeItsLastAttempt();
        Assignment<String, String> assignment = record.assignment;
        endPause();
        // by a thread that is no consumer's: the list is emptied when that drains
        assignment.startNoMore();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        assertThat(runner.unpark(assignment, 0, action)).isFalse();
        runAll();
        assignment.drain();
        runAll();
        assertThat(record.attempts()).isEqualTo(3);
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(due(assignment)).isNull();
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"RESUME, true", "RESUME, false", "DEAD_LETTER, true", "DEAD_LETTER, false", "SKIP, true", "SKIP, false"
    })
    @DisplayName(
            "a drain that begins beside a decision wins over it until its turn has come, and who decides is told so")
    void aDecisionBesideADrain(ParkedAction action, boolean isTakenOnly) {
        TrackedRecord<String, String> record = beforeItsLastAttempt();
        Assignment<String, String> assignment = record.assignment;
        endPause();
        CompletableFuture<@Nullable Void> parking = record.waitsFor();
        assertThat(parking).isNotNull();
        if (isTakenOnly) {
            // before it is taken off the list
            parking.whenComplete((done, cancelled) -> assignment.drain());
        } else {
            // when it waits for its turn
            onSettled.add(assignment::drain);
        }
        assertThat(runner.unpark(assignment, 0, action)).isFalse();
        runAll();
        assertThat(assignment.isDraining()).isTrue();
        assertThat(record.attempts()).isEqualTo(3);
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(record.end).isDone();
        assertThat(assignment.awaitRunning(System.nanoTime())).isTrue();
        assertThat(due(assignment)).isNull();
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("a step that fails when its record waits already takes nothing from the next run")
    void whatFailsLateTakesNothingFromTheNextRun() throws Exception {
        Assignment<String, String> assignment = assignment(each -> {});
        failing.add("a0");
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        CountDownLatch isCalledAgain = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        List<FutureTask<Boolean>> second = new ArrayList<>();
        failed = new ArrayList<>();
        afterPause = () -> {
            failing.clear();
            during = () -> {
                isCalledAgain.countDown();
                await(mayReturn);
            };
            pauses.remove().complete(null);
            second.add(new FutureTask<>(steps.remove(), true));
            new Thread(second.get(0)).start();
            await(isCalledAgain);
            throw new IllegalStateException("of the timer");
        };
        runAll();
        assertThat(failed).singleElement().asString().contains("of the timer");
        State duringTheSecondRun = record.state();
        int running = assignment.runningCount();
        mayReturn.countDown();
        assertThat(second.get(0).get(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(duringTheSecondRun).isEqualTo(State.RUNNING);
        assertThat(running).isOne();
        assertThat(record.state()).isEqualTo(State.SETTLED);
        assertThat(record.end).isDone();
        assertThat(assignment.runningCount()).isZero();
        assertThat(ran).containsExactly("a0");
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    @DisplayName("a key goes on after its record is settled, even if the consumer cannot be woken up")
    void aWakeUpThatFailsHoldsNoKey() {
        failed = new ArrayList<>();
        Assignment<String, String> assignment = assignment(each -> {
            throw new IllegalStateException("of the consumer");
        });
        add(assignment, 0, "a");
        add(assignment, 1, "a");
        runAll();
        assertThat(ran).containsExactly("a0", "a1");
        assertThat(failed).hasSize(2);
        assertThat(executor.inspect().stats().active()).isZero();
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    @DisplayName("a record that begins to wait during a drain is dropped, even if the consumer cannot be woken up")
    void aWakeUpThatFailsHoldsNoDrain() {
        failed = new ArrayList<>();
        Assignment<String, String> assignment = assignment(each -> {
            throw new IllegalStateException("of the consumer");
        });
        failing.add("a0");
        TrackedRecord<String, String> record = add(assignment, 0, "a");
        during = assignment::drain;
        runAll();
        assertThat(failed).hasSize(1);
        assertThat(record.state()).isEqualTo(State.DROPPED);
        assertThat(record.end).isDone();
        assertThat(ran).isEmpty();
        assertThat(executor.inspect().stats().active()).isZero();
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
        assignment.advance(12, -1);
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

    /** An offset that is newer than its epoch looks as if the log had lost its end. */
    @Test
    void aCommitOfAPositionDoesNotTellTheEpochOfAnEarlierRecord() {
        Assignment<String, String> assignment = assignment(0, CommitMetadata.NONE);
        add(assignment, polled(0, 6));
        runAll();
        assignment.advance(1, 6);
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(1, Optional.of(6), ""));
        // markers of transactions, whose leader is not known
        assignment.advance(3, -1);
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(3, Optional.empty(), ""));
        add(assignment, polled(3, 7));
        runAll();
        assertThat(due(assignment)).isEqualTo(new OffsetAndMetadata(4, Optional.of(7), ""));
    }

    @Test
    void aPartitionWithoutACommitIsNotAheadOfIt() {
        Assignment<String, String> assignment =
                new Assignment<>(PARTITION, 1000, null, CommitMetadata.NONE, each -> {});
        assertThat(PartitionSnapshot.of(assignment).ahead()).isZero();
        failing.add("a1000");
        add(assignment, 1000, "a");
        add(assignment, 1001, "b");
        runAll();
        assertThat(PartitionSnapshot.of(assignment).ahead()).isOne();
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
