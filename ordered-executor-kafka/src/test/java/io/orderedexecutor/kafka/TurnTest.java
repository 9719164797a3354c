package io.orderedexecutor.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.mock.MockProducerFactory;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.KafkaUtils;

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
            if (Thread.interrupted()) {
                // sets the interrupt again, as the one of a real consumer does
                throw new InterruptException(new InterruptedException());
            }
            RuntimeException failure = failures.poll();
            if (failure != null) {
                duringFailure.run();
                epoch += isNewEpochWithEachFailure ? 1 : 0;
                throw failure;
            }
            commits.add(commit);
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            attempts.add(offsets.get(PARTITION));
            commits.add(offsets.get(PARTITION));
            if (callback != null) {
                underWay.add(callback);
            }
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
        public synchronized void wakeup() {
            wakeUps++;
            if (brokenWakeUp) {
                throw new IllegalStateException("of the consumer");
            }
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            lookUps.merge("committed " + partitions.size(), timeout, Duration::plus);
            duringLookUp.run();
            return committed == null
                    ? Map.of()
                    : partitions.stream().collect(Collectors.toMap(each -> each, each -> committed));
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(
                Collection<TopicPartition> partitions, Duration timeout) {
            lookUps.merge("ends " + partitions.size(), timeout, Duration::plus);
            return partitions.stream().collect(Collectors.toMap(each -> each, each -> 100L));
        }

        @Override
        public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
            polls++;
            duringPoll.run();
            return super.poll(timeout);
        }
    };

    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(steps::add).build();
    private final List<String> ran = new ArrayList<>();
    private int wakeUps;
    private boolean brokenWakeUp;

    private Duration silence = Duration.ofSeconds(20);

    /** The time that the consumer may be silent by. */
    private final AtomicLong millis = new AtomicLong();

    private final Deque<OffsetCommitCallback> underWay = new ArrayDeque<>();
    private Turn.Places places = Turn.Places.COMMITTED;

    /** What the broker says is committed; of any partition. */
    private @Nullable OffsetAndMetadata committed;

    private Runnable duringLookUp = () -> {};
    private Runnable duringPoll = () -> {};
    private Runnable duringFailure = () -> {};

    /** What it was asked for, and how long it had to answer. */
    private final Map<String, Duration> lookUps = new LinkedHashMap<>();

    /** What the thread for dead letters is to do. */
    private final Deque<Runnable> publications = new ArrayDeque<>();

    /** What publishes dead letters; null for what notes them here. */
    private @Nullable DeadLetters deadLetters;

    private final List<String> published = new ArrayList<>();
    private @Nullable RuntimeException refusal;

    /** What happens while a dead letter is published. */
    private Runnable duringPublication = () -> {};

    private final List<ListenerEvents.Outcome> outcomes = new ArrayList<>();

    /** How often each event was told. */
    private final Map<String, Integer> told = new HashMap<>();

    /** How often each event throws if a test expects failures. */
    private int brokenEvents = 1000;

    private @Nullable Runnable during;
    private int brokenAssignments;
    private int brokenPauses;
    private final List<CompletableFuture<@Nullable Void>> pauses = new ArrayList<>();

    /** How often a record was begun that fails. */
    private int attempted;

    /** What the container was told of; null if a test expects nothing. */
    private @Nullable List<Throwable> failed;

    /** Notes all events, and throws if a test expects failures. */
    private final ListenerEvents events = (ListenerEvents) Proxy.newProxyInstance(
            ListenerEvents.class.getClassLoader(), new Class<?>[] {ListenerEvents.class}, (self, event, arguments) -> {
                if (arguments.length > 1 && arguments[1] instanceof ListenerEvents.Outcome outcome) {
                    outcomes.add(outcome);
                }
                if (told.merge(event.getName(), 1, Integer::sum) <= brokenEvents && failed != null) {
                    throw new IllegalArgumentException("a meter of this name has other tags");
                }
                return null;
            });

    private Turn<String, String> turn = turn(1);

    private Turn<String, String> turn(int attempts) {
        return turn(Containers.with(10, attempts, Duration.ZERO));
    }

    private Turn<String, String> turn(OrderedListenerSettings settings) {
        ListenerSetup setup = new ListenerSetup(
                "test",
                "group",
                settings,
                executor,
                new RecordKey(null, "test"),
                deadLetters != null
                        ? deadLetters
                        : (record, failure) -> {
                            duringPublication.run();
                            if (refusal != null) {
                                throw refusal;
                            }
                            published.add(record.value().toString());
                            return CompletableFuture.completedFuture(null);
                        },
                publications::add,
                events,
                (over, pause) -> {
                    if (brokenPauses-- > 0) {
                        throw new IllegalStateException("of the timer");
                    }
                    pauses.add(over);
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
                attempted++;
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
                new RecordRunner<>(setup, calls, "client", consumer, new Membership(silence, millis::get)),
                () -> "cluster",
                partition -> false,
                places);
    }

    private void handOut(String... keys) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            records.add(new ConsumerRecord<>("t", 0, i, keys[i], keys[i] + i));
        }
        turn.handOut(new ConsumerRecords<>(
                Map.of(PARTITION, records), Map.of(PARTITION, new OffsetAndMetadata(keys.length))));
        runAll(steps);
    }

    private static void runAll(Deque<Runnable> steps) {
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }

    /** What a last owner of the partition has committed: all but what is open is settled. */
    private static OffsetAndMetadata claim(long base, long highest, long... open) {
        return new OffsetAndMetadata(
                base,
                new CommitMetadata(base, highest, -1, open)
                        .encode(4096, new CommitMetadata.Scope("cluster", "group", PARTITION)));
    }

    private void handOutFrom(long offset, String... keys) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (String key : keys) {
            long next = offset + records.size();
            records.add(new ConsumerRecord<>("t", 0, next, key, key + next));
        }
        turn.handOut(new ConsumerRecords<>(
                Map.of(PARTITION, records), Map.of(PARTITION, new OffsetAndMetadata(offset + keys.length))));
        runAll(steps);
    }

    /** More than the window, of which nothing runs until it is asked to. */
    private void fillWindow() {
        fillWindow(i -> "k" + i);
    }

    private void fillWindow(IntFunction<String> keys) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            records.add(new ConsumerRecord<>("t", 0, i, keys.apply(i), "v" + i));
        }
        turn.handOut(new ConsumerRecords<>(Map.of(PARTITION, records), Map.of(PARTITION, new OffsetAndMetadata(12))));
        turn.before();
        assertThat(consumer.paused()).containsExactly(PARTITION);
    }

    @Test
    @DisplayName("a consumer that polls is woken up when a full partition has room")
    void wakesUpForRoom() {
        fillWindow();
        runAll(steps);
        assertThat(wakeUps).isOne();
        assertThat(ran).hasSize(12);
    }

    @Test
    @DisplayName("nothing is woken up where the application runs in callbacks: it would be hit there")
    void wakesUpNobodyInCallbacks() {
        places = new Turn.Places(true, partition -> false);
        turn = turn(1);
        fillWindow();
        runAll(steps);
        assertThat(wakeUps).isZero();
        assertThat(ran).hasSize(12).doesNotHaveDuplicates();
        turn.before();
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    @DisplayName("what the last owner has settled is not run again")
    void metadataIsBelieved() {
        committed = claim(10, 20, 10, 15);
        handOutFrom(10, "a", "b", "c", "d", "e", "f");
        assertThat(ran).containsExactly("a10", "f15");
    }

    @Test
    @DisplayName("where the application has said where to begin, what is settled is run again")
    void metadataDoesNotCountBesideAnOffsetThatWasGiven() {
        places = new Turn.Places(false, PARTITION::equals);
        turn = turn(1);
        committed = claim(10, 20, 10, 15);
        handOutFrom(12, "c", "d", "e", "f");
        assertThat(ran).containsExactly("c12", "d13", "e14", "f15");
    }

    @Test
    @DisplayName("what the application seeks in a callback is run, settled or not; so is what it goes forward to later")
    void metadataDoesNotCountAfterASeek() {
        places = new Turn.Places(true, partition -> false);
        turn = turn(1);
        committed = claim(10, 30, 10, 15);
        handOutFrom(12, "c", "d");
        assertThat(ran).containsExactly("c12", "d13");
        turn.lose(Set.of(PARTITION));
        consumer.assign(Set.of());
        turn.before();
        consumer.assign(Set.of(PARTITION));
        ran.clear();
        handOutFrom(10, "a", "b");
        handOutFrom(20, "x", "y");
        assertThat(ran).containsExactly("a10", "x20", "y21");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(22));
    }

    @Test
    @DisplayName("records of keys with the least hash code, and of many keys with one, each run once, in their order")
    void hashCodesOfKeys() {
        List<String> keys = new ArrayList<>(List.of("polygenelubricants"));
        assertThat(keys.get(0).hashCode()).isEqualTo(Integer.MIN_VALUE);
        for (int i = 0; i < 1024; i++) {
            keys.add(String.format("%10s", Integer.toBinaryString(i))
                    .replaceAll("[ 0]", "Aa")
                    .replace("1", "BB"));
        }
        assertThat(keys.subList(1, keys.size()))
                .extracting(String::hashCode)
                .containsOnly("Aa".repeat(10).hashCode());
        List<String> expected = new ArrayList<>();
        List<String> twice = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            for (String key : keys) {
                expected.add(key + twice.size());
                twice.add(key);
            }
        }
        handOut(twice.toArray(String[]::new));
        assertThat(ran).containsExactlyInAnyOrderElementsOf(expected);
        Map<String, List<Integer>> byKey = new HashMap<>();
        ran.forEach(each -> byKey.computeIfAbsent(each.replaceAll("[0-9]", ""), key -> new ArrayList<>())
                .add(Integer.valueOf(each.replaceAll("[^0-9]", ""))));
        assertThat(byKey.values())
                .hasSize(keys.size())
                .allSatisfy(each -> assertThat(each).hasSize(2).isSorted());
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(twice.size()));
    }

    /** Two records that are queued, and one that waits for its next attempt, in a process that is frozen then. */
    private void frozen() {
        turn = turn(3);
        handOutFrom(0, "bad");
        turn.handOut(new ConsumerRecords<>(
                Map.of(
                        PARTITION,
                        List.of(
                                new ConsumerRecord<>("t", 0, 1, "a", "a1"),
                                new ConsumerRecord<>("t", 0, 2, "a", "a2"))),
                Map.of(PARTITION, new OffsetAndMetadata(3))));
        turn.before();
        millis.addAndGet(Duration.ofSeconds(21).toMillis());
        // workers and timers are as quick as the consumer's thread
        pauses.forEach(over -> over.complete(null));
        runAll(steps);
        assertThat(ran).isEmpty();
        assertThat(attempted).isOne();
    }

    @Test
    @DisplayName("after a silence nothing starts until a commit has shown that nothing was lost")
    void nothingStartsAfterASilence() {
        frozen();
        try (LogLines log = new LogLines(Turn.class.getName())) {
            turn.before();
            runAll(steps);
            turn.before();
            turn.handOut(new ConsumerRecords<>(
                    Map.of(PARTITION, List.of(new ConsumerRecord<>("t", 0, 3, "b", "b3"))), Map.of()));
            runAll(steps);
            assertThat(ran).isEmpty();
            assertThat(attempted).isOne();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("INFO ")
                    .contains("the consumer may have lost its partitions");
        }
        assertThat(underWay).hasSize(1);
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(0));
        underWay.remove().onComplete(Map.of(), null);
        runAll(steps);
        assertThat(ran).containsExactlyInAnyOrder("a1", "a2", "b3");
        assertThat(attempted).isEqualTo(2);
    }

    /** The broker may have taken the partitions away, while the consumer's thread does what it always does. */
    @Test
    void nothingStartsWhileTheBrokerAnswersNoCommit() {
        silence = Duration.ofMillis(1);
        turn = turn(1);
        handOut("a");
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            turn.before();
            return !underWay.isEmpty();
        });
        try (LogLines log = new LogLines(Turn.class.getName())) {
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                turn.before();
                return !log.lines().isEmpty();
            });
            assertThat(log.lines()).singleElement().asString().contains("the broker has answered no commit");
        }
        handOutFrom(1, "b");
        underWay.remove().onComplete(Map.of(), null);
        turn.before();
        runAll(steps);
        assertThat(ran).containsExactly("a0");
        underWay.remove().onComplete(Map.of(), null);
        runAll(steps);
        assertThat(ran).containsExactly("a0", "b1");
    }

    /** Records that were fetched before it was lost, while another thread of the consumer is about to remove it. */
    @Test
    void whatComesOfALeavingPartitionStartsWhenACommitIsAccepted() {
        handOut("a");
        turn.lose(Set.of(PARTITION));
        handOutFrom(5, "c");
        assertThat(ran).containsExactly("a0");
        turn.before();
        underWay.remove().onComplete(Map.of(), null);
        runAll(steps);
        assertThat(ran).containsExactly("a0", "c5");
    }

    @Test
    @DisplayName("after a silence nothing starts of what was lost, whenever the consumer hears of that")
    void nothingStartsOfWhatWasLost() {
        frozen();
        turn.before();
        underWay.remove().onComplete(Map.of(), new CommitFailedException("unknown member"));
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            turn.before();
            return !underWay.isEmpty();
        });
        turn.lose(Set.of(PARTITION));
        consumer.assign(Set.of());
        underWay.remove().onComplete(Map.of(), new CommitFailedException("unknown member"));
        turn.before();
        runAll(steps);
        assertThat(ran).isEmpty();
        assertThat(attempted).isOne();
        // and what comes then starts
        consumer.assign(Set.of(PARTITION));
        handOutFrom(5, "c");
        assertThat(ran).containsExactly("c5");
    }

    @Test
    @DisplayName("the broker is asked once for all new partitions, and has one time to answer")
    void oneQuestionForAllPartitions() {
        List<TopicPartition> partitions = new ArrayList<>();
        Map<TopicPartition, List<ConsumerRecord<String, String>>> records = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            partitions.add(new TopicPartition("t", i));
            records.put(partitions.get(i), List.of(new ConsumerRecord<>("t", i, 10, "k" + i, "v" + i)));
        }
        consumer.assign(partitions);
        committed = claim(10, 20, 10);
        duringLookUp = () -> await().pollDelay(Duration.ofMillis(200)).until(() -> true);
        turn.handOut(new ConsumerRecords<>(records, Map.of()));
        runAll(steps);
        assertThat(lookUps).containsOnlyKeys("committed 200", "ends 200");
        assertThat(lookUps.get("committed 200")).isLessThan(Duration.ofSeconds(5));
        assertThat(lookUps.get("ends 200"))
                .isLessThan(lookUps.get("committed 200").minusMillis(100));
        assertThat(ran).hasSize(200).doesNotHaveDuplicates();
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
            throw new Unprintable();
        };
        handOut("a", "a", "b");
        assertThat(failed).isEmpty();
        assertThat(ran).containsExactly("a0", "b2");
        assertThat(turn.assignments().get(PARTITION).parked()).containsOnlyKeys(0L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a record that is given up is told in the log, even if what it has thrown can be printed only in part")
    void unprintableInPart(boolean hasMessage) {
        failed = new ArrayList<>();
        during = () -> {
            throw new UnprintableInPart(hasMessage);
        };
        try (LogLines log = new LogLines(RecordRunner.class.getName())) {
            handOut("a");
            assertThat(log.lines()).singleElement().asString().contains("Its key is parked");
        }
        assertThat(failed).isEmpty();
    }

    /** What the JDK prints, and a log does not. */
    private static final class UnprintableInPart extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final boolean hasMessage;

        UnprintableInPart(boolean hasMessage) {
            this.hasMessage = hasMessage;
        }

        @Override
        public String getMessage() {
            if (hasMessage) {
                return "a message";
            }
            throw new IllegalArgumentException("no message");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalArgumentException("no stack trace");
        }

        @Override
        public String toString() {
            return "a text";
        }
    }

    @Test
    @DisplayName("of a parked record is shown what its listener has thrown, not what Spring wraps it in")
    void theCauseIsShown() {
        IllegalStateException thrown = new IllegalStateException("of the shop");
        during = () -> {
            throw new ListenerExecutionFailedException("Listener method threw exception", "group", thrown);
        };
        handOut("a");
        assertThat(PartitionSnapshot.of(turn.assignments().get(PARTITION)).parked())
                .singleElement()
                .satisfies(parked -> assertThat(parked.failure()).isSameAs(thrown));
    }

    @ParameterizedTest
    @CsvSource({"1, failed and is not retried.", "2, 'failed at attempt 2, its last.'"})
    @DisplayName("the log says of an attempt that it is the last only if there was one before")
    void theLogOfTheLastAttempt(int number, String expected) {
        for (FailurePolicy policy : List.of(
                Containers.retries(number).thenProceed(),
                Containers.retries(number).thenPark())) {
            turn = turn(Containers.QUICK.withFailurePolicy(policy));
            try (LogLines log = new LogLines(RecordRunner.class.getName())) {
                handOut("bad");
                pauses.forEach(pause -> pause.complete(null));
                runAll(steps);
                assertThat(log.lines()).singleElement().asString().contains("t-0@0 " + expected + " Its key ");
            }
        }
    }

    @Test
    @DisplayName("the log of a refused dead letter is one sentence")
    void theLogOfARefusedDeadLetter() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        refusal = new IllegalStateException("no broker");
        handOut("bad");
        try (LogLines log = new LogLines(RecordRunner.class.getName())) {
            runAll(publications);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR The dead letter of the record t-0@0 was refused. ")
                    .contains("is resumed or skipped");
        }
    }

    private Assignment<String, String> refused() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        refusal = new IllegalStateException("no broker");
        handOut("bad", "a");
        runAll(publications);
        return turn.assignments().get(PARTITION);
    }

    private void publishAgain() {
        List.copyOf(pauses).forEach(pause -> pause.complete(null));
        runAll(publications);
    }

    @Test
    @DisplayName("a record whose dead letter is refused is parked until it is accepted")
    void aRefusedDeadLetterIsParked() {
        Assignment<String, String> assignment = refused();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        duringPublication = () -> assertThat(assignment.parked()).containsOnlyKeys(0L);
        publishAgain();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        refusal = null;
        publishAgain();
        assertThat(assignment.parked()).isEmpty();
        assertThat(published).containsExactly("bad0");
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.DEAD_LETTERED);
    }

    @Test
    @DisplayName("a record is shown as running while its dead letter is published, and as parked when that is refused")
    void theStatesOfADeadLetter() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        refusal = new IllegalStateException("no broker");
        handOut("bad");
        Assignment<String, String> assignment = turn.assignments().get(PARTITION);
        List<String> shown = new ArrayList<>();
        Runnable look = () -> shown.add(Containers.statesOf(assignment));
        duringPublication = look;
        // until the thread for dead letters is free
        look.run();
        runAll(publications);
        look.run();
        assertThat(shown).containsExactly("waiting", "running", "parked, listed as parked");
        shown.clear();
        pauses.forEach(pause -> pause.complete(null));
        // its time has come, but until the thread for dead letters is free, an action can end the wait
        look.run();
        runAll(publications);
        look.run();
        assertThat(shown)
                .containsExactly("parked, listed as parked", "running, listed as running", "parked, listed as parked");
        shown.clear();
        assertThat(turn.runner().unpark(assignment, 0, ParkedAction.DEAD_LETTER))
                .isTrue();
        look.run();
        runAll(steps);
        look.run();
        refusal = null;
        runAll(publications);
        assertThat(shown).containsExactly("waiting", "waiting", "running");
        assertThat(published).containsExactly("bad0");
        assertThat(PartitionSnapshot.of(assignment).parked()).isEmpty();
    }

    @Test
    @DisplayName("the oldest record is shown in one state, even if it is among the parked ones, too")
    void theOldestRecordIsLookedAtOnce() {
        handOut("bad", "a");
        PartitionSnapshot shown = PartitionSnapshot.of(turn.assignments().get(PARTITION));
        assertThat(shown.parked()).hasSize(1).first().isSameAs(shown.oldest());
    }

    @Test
    @DisplayName("a record whose dead letter is refused can be skipped, and is not published later")
    void aRefusedDeadLetterIsSkipped() {
        Assignment<String, String> assignment = refused();
        // its time has come, and the thread for dead letters has others before it
        List.copyOf(pauses).forEach(pause -> pause.complete(null));
        assertThat(turn.runner().unpark(assignment, 0, ParkedAction.SKIP)).isTrue();
        runAll(steps);
        refusal = null;
        publishAgain();
        assertThat(published).isEmpty();
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.SKIPPED);
        assertThat(assignment.parked()).isEmpty();
        assertThat(turn.runner().unpark(assignment, 0, ParkedAction.SKIP)).isFalse();
    }

    @Test
    @DisplayName("what is said of a record comes before another publication, however long no thread is free for it")
    void aDecisionEndsTheWaitForAnotherPublication() {
        Assignment<String, String> assignment = refused();
        assertThat(turn.runner().unpark(assignment, 0, ParkedAction.SKIP)).isTrue();
        publishAgain();
        refusal = null;
        publishAgain();
        runAll(steps);
        publishAgain();
        assertThat(published).isEmpty();
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.SKIPPED);
        assertThat(assignment.parked()).isEmpty();
    }

    @Test
    @DisplayName("what is said of a record while its dead letter is published is done when that is refused")
    void aDeadLetterIsSkippedWhileItIsPublished() {
        Assignment<String, String> assignment = refused();
        duringPublication = () -> assertThat(turn.runner().unpark(assignment, 0, ParkedAction.SKIP))
                .isTrue();
        publishAgain();
        runAll(steps);
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.SKIPPED);
        assertThat(assignment.parked()).isEmpty();
    }

    @Test
    @DisplayName("what is said of a record that is being published is not promised if it may not be done")
    void aDeadLetterIsNotResumedWhileItIsPublished() {
        Assignment<String, String> assignment = refused();
        List<Boolean> answers = new ArrayList<>();
        duringPublication = () -> answers.add(turn.runner().unpark(assignment, 0, ParkedAction.RESUME));
        publishAgain();
        runAll(steps);
        assertThat(answers).containsExactly(false);
        assertThat(attempted).isOne();
        assertThat(assignment.parked()).containsOnlyKeys(0L);
        refusal = null;
        publishAgain();
        runAll(steps);
        assertThat(answers).containsExactly(false, false);
        assertThat(attempted).isOne();
        assertThat(published).containsExactly("bad0");
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.DEAD_LETTERED);
        assertThat(assignment.parked()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = "RESUME", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("a record that is being published is settled without running again, whoever settles it, and once")
    void aDeadLetterIsAcceptedThatIsToBeSkipped(ParkedAction action) {
        Assignment<String, String> assignment = refused();
        refusal = null;
        List<Boolean> answers = new ArrayList<>();
        duringPublication = () -> answers.add(turn.runner().unpark(assignment, 0, action));
        publishAgain();
        runAll(steps);
        publishAgain();
        assertThat(answers).containsExactly(true);
        assertThat(attempted).isOne();
        assertThat(published).containsExactly("bad0");
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.DEAD_LETTERED);
        assertThat(turn.runner().unpark(assignment, 0, action)).isFalse();
    }

    @Test
    @DisplayName("of two decisions on a record one is carried out, and who made the other one is told so")
    void twoDecisions() {
        Assignment<String, String> assignment = refused();
        List<Boolean> second = new ArrayList<>();
        // when the first has taken the record out of its wait
        pauses.get(0)
                .whenComplete((done, cancelled) -> second.add(turn.runner().unpark(assignment, 0, ParkedAction.SKIP)));
        boolean first = turn.runner().unpark(assignment, 0, ParkedAction.RESUME);
        runAll(steps);
        runAll(publications);
        assertThat(second).containsExactly(true);
        assertThat(first).isFalse();
        assertThat(attempted).isOne();
        assertThat(published).isEmpty();
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.SKIPPED);
        assertThat(assignment.parked()).isEmpty();
    }

    @Test
    @DisplayName("a record whose dead letter is refused can be resumed, and waits for nothing that was before")
    void aRefusedDeadLetterIsResumed() {
        turn = turn(Containers.deadLetters(10, 2, Duration.ZERO));
        refusal = new IllegalStateException("no broker");
        handOut("bad");
        pauses.remove(0).complete(null);
        runAll(steps);
        runAll(publications);
        Assignment<String, String> assignment = turn.assignments().get(PARTITION);
        // its time has come
        pauses.remove(0).complete(null);
        assertThat(turn.runner().unpark(assignment, 0, ParkedAction.RESUME)).isTrue();
        runAll(steps);
        assertThat(attempted).isEqualTo(3);
        refusal = null;
        runAll(publications);
        // it waits for its next attempt
        assertThat(published).isEmpty();
        pauses.remove(0).complete(null);
        runAll(steps);
        assertThat(attempted).isEqualTo(4);
        runAll(publications);
        assertThat(published).containsExactly("bad0");
    }

    @Test
    @DisplayName("the log of a drain that was too short does not say that asynchronous calls were interrupted")
    void theLogOfADrain() {
        during = () -> turn.revoke(Set.of(PARTITION));
        try (LogLines log = new LogLines(Turn.class.getName())) {
            handOut("a");
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("WARN "))
                    .singleElement()
                    .asString()
                    .endsWith("; the next owner runs them again. Threads in listeners were interrupted; asynchronous"
                            + " calls are not cancelled, and may overlap with the next run");
        }
        // it was meant for this thread
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @DisplayName("after a failure that is excluded from retries the key proceeds, even if others park it")
    void excluded() {
        turn = turn(Containers.QUICK.withFailurePolicy(
                FailurePolicy.retry().excludes(IllegalStateException.class).thenPark()));
        handOut("bad", "a");
        assertThat(attempted).isEqualTo(1);
        assertThat(turn.assignments().get(PARTITION).parked()).isEmpty();
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    @DisplayName("after a failure that is excluded from retries a record is a dead letter, if there are any")
    void excludedDeadLetter() {
        turn = turn(Containers.QUICK
                .withFailurePolicy(FailurePolicy.retry()
                        .excludes(IllegalStateException.class)
                        .thenPark())
                .withDeadLetters(true));
        handOut("bad", "a");
        runAll(publications);
        assertThat(published).containsExactly("bad0");
        assertThat(turn.assignments().get(PARTITION).parked()).isEmpty();
    }

    @Test
    @DisplayName("a dead letter is published on a thread of its own, and holds only its key")
    void deadLettersBlockNoWorker() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        handOut("bad", "bad", "a");
        assertThat(published).isEmpty();
        assertThat(ran).containsExactly("a2");
        runAll(publications);
        assertThat(published).containsExactly("bad0");
        // the second of its key fails, too
        runAll(steps);
        runAll(publications);
        assertThat(published).containsExactly("bad0", "bad1");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(3));
    }

    @Test
    @DisplayName("a dead letter that nobody has begun to publish is dropped by a drain, which does not wait for it")
    void deadLettersThatWaitAreDropped() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        handOut("bad", "a");
        turn.revoke(Set.of(PARTITION));
        runAll(publications);
        assertThat(published).isEmpty();
        assertThat(ran).containsExactly("a1");
        assertThat(lastCommit()).isNotNull();
        assertThat(lastCommit().offset()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000})
    @DisplayName("events that throw, once or each time, decide nothing, are told once, and what ran is committed")
    void eventsDecideNothing(int times) {
        failed = new ArrayList<>();
        brokenEvents = times;
        turn = turn(2);
        committed = claim(0, 3, 0, 2);
        try (LogLines log = new LogLines(ContainedEvents.class.getName())) {
            handOut("a", "a", "bad", "bad");
            pauses.remove(0).complete(null);
            runAll(steps);
            assertThat(turn.assignments().get(PARTITION).parked()).containsOnlyKeys(2L);
            turn.revoke(Set.of(PARTITION));
            assertThat(log.lines()).singleElement().asString().startsWith("ERROR ");
        }
        assertThat(told.keySet())
                .containsExactlyInAnyOrderElementsOf(Stream.of(ListenerEvents.class.getMethods())
                        .filter(Method::isDefault)
                        .map(Method::getName)
                        .toList());
        assertThat(failed).isEmpty();
        assertThat(attempted).isEqualTo(2);
        assertThat(ran).containsExactly("a0");
        assertThat(turn.assignments()).isEmpty();
        assertThat(lastCommit()).isNotNull();
        assertThat(lastCommit().offset()).isEqualTo(2);
        assertThat(lastCommit().metadata()).isNotEmpty();
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

    /** The poll that completes a rebalance may revoke partitions: the drain that they had before it was enough. */
    @Test
    void aRevocationDuringTheLastCommitDrainsNothingAgain() {
        handOut("bad", "b");
        failures.add(new RebalanceInProgressException());
        duringPoll = () -> turn.revoke(Set.of(PARTITION));
        turn.stop();
        assertThat(polls).isOne();
        assertThat(lastCommit().offset()).isZero();
        assertThat(lastCommit().metadata()).as("that b is settled").isNotEmpty();
        assertThat(told).containsEntry("drained", 1);
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.DROPPED);
        assertThat(turn.assignments()).isEmpty();
    }

    /** Its results are ignored, wherever they come from. */
    @Test
    void aRecordThatOutlastsTheDrainOfAStopIsCountedIfItsPartitionIsLost() {
        during = () -> {
            // so that there is something to commit
            handOutFrom(1, "b");
            failures.add(new RebalanceInProgressException());
            duringPoll = () -> turn.lose(Set.of(PARTITION));
            turn.stop();
            assertThat(Thread.interrupted()).isTrue();
        };
        handOut("a");
        assertThat(polls).isOne();
        assertThat(ran).containsExactly("a0", "b1");
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.PROCESSED, ListenerEvents.Outcome.DROPPED);
    }

    /** The thread of a consumer is interrupted if its executor is shut down. */
    @Test
    void anInterruptedThreadCommitsAllTheSame() {
        handOut("a", "b");
        Thread.currentThread().interrupt();
        turn.stop();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    void anInterruptDuringTheLastCommitDoesNotEndIt() {
        handOut("a", "b");
        InterruptException interrupt = new InterruptException(new InterruptedException());
        // a consumer makes the exception, which sets the interrupt, in the commit
        assertThat(Thread.interrupted()).isTrue();
        failures.add(interrupt);
        duringFailure = () -> Thread.currentThread().interrupt();
        turn.stop();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempts).hasSize(2);
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    @DisplayName("a record that outlasts the drain is counted as dropped: its result is ignored")
    void aRecordThatOutlastsTheDrainIsCounted() {
        during = () -> {
            turn.revoke(Set.of(PARTITION));
            assertThat(Thread.interrupted()).isTrue();
        };
        handOut("a");
        assertThat(ran).containsExactly("a0");
        assertThat(commits).containsExactly(new OffsetAndMetadata(0));
        assertThat(outcomes).containsExactly(ListenerEvents.Outcome.DROPPED);
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

    @ParameterizedTest
    @ValueSource(strings = {"a", "bad"})
    @DisplayName("the loss of a partition is a warning only if records will be repeated")
    void onlyALossOfRecordsIsAWarning(String key) {
        handOut(key);
        try (LogLines log = new LogLines(Turn.class.getName())) {
            turn.lose(Set.of(PARTITION));
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            key.equals("a")
                                    ? "INFO Listener 'test' has lost t-0; all"
                                    : "WARN Listener 'test' has lost t-0 with 1 record that is not settled; it runs");
        }
        assertThat(ran).hasSize(key.equals("a") ? 1 : 0);
    }

    /** No callback has told of it: what the consumer says is believed. */
    @Test
    void nothingIsCommittedForAPartitionThatTheConsumerHasNoMore() {
        handOut("a", "b");
        consumer.assign(Set.of());
        turn.stop();
        assertThat(attempts).isEmpty();
    }

    /**
     * Under the {@code consumer} protocol a consumer names a partition for a while after it was revoked. Its position
     * is beyond records that were dropped: a commit of that position would lose them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePositionOfAPartitionThatIsLeavingIsNotCommitted(boolean revoked) {
        handOut("bad", "b");
        consumer.seek(PARTITION, 2);
        if (revoked) {
            turn.revoke(Set.of(PARTITION));
        } else {
            turn.lose(Set.of(PARTITION));
        }
        int before = commits.size();
        turn.before();
        turn.before();
        assertThat(turn.assignments()).isEmpty();
        assertThat(commits).hasSize(before);
        assertThat(ran).containsExactly("b1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPartitionThatComesBackIsOpenedAtOnce(boolean seenGone) {
        handOut("a");
        turn.revoke(Set.of(PARTITION));
        if (seenGone) {
            consumer.assign(Set.of());
            turn.before();
            consumer.assign(Set.of(PARTITION));
        } else {
            turn.assigned(Set.of(PARTITION));
        }
        consumer.seek(PARTITION, 1);
        turn.before();
        assertThat(turn.assignments()).containsOnlyKeys(PARTITION);
        assertThat(ran).containsExactly("a0");
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

    /** No poll would show it: the consumer fetches nothing from a partition that is paused. */
    @Test
    void aSeekBackWhileTheWindowIsFull() {
        fillWindow();
        consumer.seek(PARTITION, 3);
        turn.before();
        assertThat(consumer.paused()).isEmpty();
        runAll(steps);
        assertThat(ran).as("of what was handed out before the seek").isEmpty();
        handOutFrom(3, "k3", "k4");
        assertThat(ran).containsExactly("k33", "k44");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(5));
    }

    // What throws after the decision

    /** How a record is given up. */
    enum Decision {
        PROCEED,
        SKIP,
        DEAD_LETTER,
        DEAD_LETTER_WHEN_REFUSED
    }

    /** Two records of one key fail and are given up, and one of another key runs. */
    private void giveUp(Decision decision) {
        turn = turn(
                switch (decision) {
                    case PROCEED -> Containers.QUICK.withFailurePolicy(FailurePolicy.proceed());
                    case SKIP -> Containers.with(10, 1, Duration.ZERO);
                    default -> Containers.deadLetters(10, 1, Duration.ZERO);
                });
        refusal = decision == Decision.DEAD_LETTER_WHEN_REFUSED ? new IllegalStateException("no broker") : null;
        handOut("bad", "bad", "a");
        for (long offset = 0; offset < 2; offset++) {
            assertThat(attempted).isEqualTo(decision == Decision.PROCEED ? 2 : offset + 1);
            if (decision == Decision.SKIP) {
                assertThat(turn.runner().unpark(turn.assignments().get(PARTITION), offset, ParkedAction.SKIP))
                        .isTrue();
            }
            runAll(steps);
            runAll(publications);
            if (refusal != null) {
                refusal = null;
                publishAgain();
                refusal = offset == 0 ? new IllegalStateException("no broker") : null;
            }
            runAll(steps);
        }
        assertThat(attempted).isEqualTo(2);
        assertThat(ran).containsExactly("a2");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(3));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a record that is given up is told in the log, even if the application's format of records fails")
    void aFormatThatFails(Decision decision) {
        KafkaUtils.setConsumerRecordFormatter(record -> {
            throw new IllegalStateException("of the format");
        });
        try (LogLines log = new LogLines(RecordRunner.class.getName())) {
            giveUp(decision);
            if (decision != Decision.DEAD_LETTER) {
                assertThat(log.lines())
                        .anySatisfy(
                                line -> assertThat(line).startsWith("ERROR ").contains("t-0@0"))
                        .anySatisfy(
                                line -> assertThat(line).startsWith("ERROR ").contains("t-0@1"));
            }
        } finally {
            // as it was
            KafkaUtils.setConsumerRecordFormatter(
                    record -> record.topic() + "-" + record.partition() + "@" + record.offset());
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a log that throws and meters that throw decide nothing over records that are given up")
    void aLogThatFails(Decision decision) {
        failed = new ArrayList<>();
        try (BrokenLog log = new BrokenLog()) {
            giveUp(decision);
            assertThat(log.asked()).isPositive();
        }
        assertThat(failed).isEmpty();
    }

    @Test
    @DisplayName("a log that throws ends no retry")
    void aLogThatFailsAtARetry() {
        turn = turn(2);
        try (BrokenLog log = new BrokenLog()) {
            handOut("bad", "bad", "a");
            pauses.remove(0).complete(null);
            runAll(steps);
            assertThat(log.asked()).isPositive();
        }
        assertThat(attempted).isEqualTo(2);
        assertThat(turn.assignments().get(PARTITION).parked()).containsOnlyKeys(0L);
        assertThat(ran).containsExactly("a2");
    }

    @Test
    @DisplayName("a log that throws keeps no drain from its commit, and no commit that fails from the end of a drain")
    void aLogThatFailsInADrain() {
        List<Boolean> interrupted = new ArrayList<>();
        during = () -> {
            try (BrokenLog log = new BrokenLog()) {
                failures.add(new TimeoutException("broker"));
                turn.revoke(Set.of(PARTITION));
                assertThat(log.asked()).isPositive();
            }
            interrupted.add(Thread.interrupted());
        };
        handOut("a");
        assertThat(interrupted).containsExactly(true);
        assertThat(attempts).containsExactly(new OffsetAndMetadata(0));
        assertThat(turn.assignments()).isEmpty();
        assertThat(ran).containsExactly("a0");
    }

    @Test
    @DisplayName("each record that is given up is told in the log, even if the consumer cannot be woken up")
    void aWakeUpThatFailsHidesNothing() {
        failed = new ArrayList<>();
        brokenWakeUp = true;
        turn = turn(Containers.with(10, 1, Duration.ZERO).withFailurePolicy(FailurePolicy.proceed()));
        try (LogLines log = new LogLines(RecordRunner.class.getName())) {
            fillWindow(i -> "bad");
            runAll(steps);
            assertThat(wakeUps).isOne();
            assertThat(failed).singleElement().asString().contains("of the consumer");
            assertThat(log.lines()).hasSize(attempted).allMatch(line -> line.startsWith("ERROR "));
        }
        turn.stop();
        // what has begun is settled and committed, and nothing else
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(attempted));
    }

    @Test
    @DisplayName("of a record that is Kafka's again the log does not say that it is given up")
    void interruptedWhileItIsGivenUp() {
        turn = turn(Containers.with(10, 1, Duration.ZERO)
                .withFailurePolicy(FailurePolicy.retry()
                        .predicate(failure -> {
                            turn.revoke(Set.of(PARTITION));
                            return false;
                        })
                        .thenProceed()));
        try (LogLines log = new LogLines(RecordRunner.class.getName())) {
            handOut("bad", "a");
            assertThat(log.lines()).isEmpty();
        }
        assertThat(attempted).isOne();
        assertThat(outcomes).doesNotContain(ListenerEvents.Outcome.FAILED);
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a dead letter is published, even if the failure of its record cannot be printed")
    void aDeadLetterOfAnUnprintableFailure(boolean inPart) {
        RuntimeException thrown = inPart ? new UnprintableInPart(false) : new Unprintable();
        MockProducer<String, String> producer =
                new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
        deadLetters = DeadLetters.to(new KafkaTemplate<>(new MockProducerFactory<>(() -> producer)));
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        during = () -> {
            throw new ListenerExecutionFailedException("Listener method threw exception", thrown);
        };
        handOut("a", "a");
        runAll(publications);
        runAll(steps);
        assertThat(producer.history()).singleElement().satisfies(letter -> {
            assertThat(letter.topic()).isEqualTo("t-dlt");
            assertThat(letter.value()).isEqualTo("a0");
            assertThat(new String(
                            letter.headers()
                                    .lastHeader(KafkaHeaders.DLT_EXCEPTION_MESSAGE)
                                    .value(),
                            UTF_8))
                    .contains(thrown.getClass().getName());
        });
        assertThat(ran).containsExactly("a0", "a1");
        turn.stop();
        assertThat(lastCommit()).isEqualTo(new OffsetAndMetadata(2));
    }

    @Test
    @DisplayName("a log that is slow does not publish a dead letter that is to be skipped")
    void aLogThatIsSlow() {
        turn = turn(Containers.deadLetters(10, 1, Duration.ZERO));
        refusal = new IllegalStateException("no broker");
        handOut("bad", "a");
        runAll(steps);
        runAll(publications);
        duringPublication = () -> {
            duringPublication = () -> {};
            assertThat(turn.runner().unpark(turn.assignments().get(PARTITION), 0, ParkedAction.SKIP))
                    .isTrue();
        };
        List<String> slow = new ArrayList<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (slow.isEmpty()) {
                    slow.add(event.getFormattedMessage());
                    // the delay is over before the line is written
                    refusal = null;
                    publishAgain();
                }
            }
        };
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger(RecordRunner.class);
        logger.addAppender(appender);
        try {
            publishAgain();
        } finally {
            logger.detachAppender(appender);
        }
        runAll(steps);
        assertThat(slow).isNotEmpty();
        assertThat(published).isEmpty();
        assertThat(outcomes).contains(ListenerEvents.Outcome.SKIPPED);
    }
}
