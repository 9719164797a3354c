package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import io.orderedexecutor.kafka.ListenerEvents.Outcome;
import io.orderedexecutor.kafka.RecordKey.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The work of one consumer on its thread. A turn hands records out. Before each poll, it takes back the records that
 * were settled, commits, and pauses and resumes partitions. When partitions are revoked or the consumer stops, it
 * drains their assignments, commits, and closes them, in this order. All methods are called by the consumer thread
 * unless they say otherwise.
 *
 * <p>The assigned partitions are read from the consumer, not from the callbacks: if a wake-up interrupts a callback,
 * Kafka repeats it without the partitions. No method throws into the container: after an exception, the container would
 * seek.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class Turn<K, V> {
    private static final SafeLog logger = SafeLog.of(Turn.class);

    /**
     * The maximum time of the lookup of the offsets of new partitions. Without these offsets, records that were settled
     * out of order run again.
     */
    private static final Duration LOOKUP = Duration.ofSeconds(5);

    /** The maximum time of the last commit when the drain has used up its own time. */
    static final Duration LAST_COMMIT = Duration.ofSeconds(5);

    private final Consumer<?, ?> consumer;
    private final ListenerSetup setup;
    private final RecordRunner<K, V> runner;
    private final Commits<K, V> commits;
    private final PartitionPauses<K, V> pauses;
    private final Supplier<@Nullable String> clusterId;
    private final Places places;

    /** Written by the consumer thread; concurrent, since other threads read it. */
    private final Map<TopicPartition, Assignment<K, V>> assignments = new ConcurrentHashMap<>();

    /**
     * Partitions that were given back or lost, and that the consumer still names. The consumer may name a partition
     * even after the callback has ended: under the {@code consumer} protocol, another thread removes the partition from
     * the assignment of the consumer. The position of such a partition is beyond records that were dropped, and must
     * not be committed any more. Consumer thread only.
     */
    private final Set<TopicPartition> leaving = new HashSet<>();

    /**
     * Whether assignments are being drained and committed. The last commit of a stop may poll, and so call back for
     * partitions that are drained already. Consumer thread only.
     */
    private boolean closing;

    /** Set by any thread after a failure that stops the container: from then on, no record is handed out. */
    private volatile boolean stopped;

    /**
     * Creates the turn of a consumer.
     *
     * @param clusterId the id of the cluster, or null if it is not known
     * @param pausedByApplication whether the application has paused a partition
     */
    Turn(
            Consumer<?, ?> consumer,
            ListenerSetup setup,
            RecordRunner<K, V> runner,
            Supplier<@Nullable String> clusterId,
            Predicate<TopicPartition> pausedByApplication,
            Places places) {
        this.consumer = consumer;
        this.setup = setup;
        this.runner = runner;
        this.clusterId = clusterId;
        this.places = places;
        this.commits = new Commits<>(consumer, setup, clusterId, System::nanoTime);
        this.pauses = new PartitionPauses<>(
                consumer, setup.settings().window(), !places.chosenInCallbacks(), pausedByApplication);
    }

    /**
     * Determines whether the application has chosen the offset at which a partition begins.
     *
     * @param chosenInCallbacks whether code of the application runs in the callbacks of a rebalance. That code may
     *     seek, and must not be woken up
     * @param given whether the application has said where a partition begins
     */
    record Places(boolean chosenInCallbacks, Predicate<TopicPartition> given) {
        /** All partitions begin at the committed offset. */
        static final Places COMMITTED = new Places(false, partition -> false);

        /**
         * Returns whether the application has chosen the offset {@code first}. If so, the records from there on are
         * handed out, whether they are settled or not.
         */
        boolean isChosen(TopicPartition partition, long first, long committed) {
            return first < committed || (chosenInCallbacks && first != committed) || given.test(partition);
        }
    }

    /** Returns the current assignments. Called by any thread. */
    Map<TopicPartition, Assignment<K, V>> assignments() {
        return assignments;
    }

    RecordRunner<K, V> runner() {
        return runner;
    }

    /**
     * Stops handing records out, and lets no record start that was handed out. Called by any thread; the consumer's
     * thread does the rest.
     */
    void giveUp() {
        stopped = true;
        assignments.values().forEach(Assignment::startNoMore);
    }

    /**
     * Runs a step, and stops the container if it throws: an exception on this thread would make the container seek, or
     * poll again at once.
     */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable failure) {
            setup.failed(failure);
        }
    }

    /** Called by any thread when a record is settled or waits. A failure here does not fail the record's step. */
    private void wakeIfRoom(Assignment<K, V> assignment) {
        guarded(() -> pauses.wakeIfRoom(assignment));
    }

    /** Pauses all partitions, so that the consumer fetches no more records. */
    private void pauseAll() {
        try {
            consumer.pause(consumer.assignment());
        } catch (RuntimeException e) {
            logger.debug(
                    e,
                    () -> "Could not pause the partitions of listener '" + setup.name()
                            + "', which is already stopping");
        }
    }

    /** Called before each poll. */
    void before() {
        guarded(this::lookBefore);
    }

    private void lookBefore() {
        pauses.leavePoll();
        if (stopped) {
            // records that were polled and not handed out must not be committed, so positions are not read any more
            pauseAll();
            return;
        }
        Set<TopicPartition> assigned = consumer.assignment();
        List<TopicPartition> gone = new ArrayList<>(assignments.keySet());
        gone.removeAll(assigned);
        lose(gone);
        leaving.retainAll(assigned);
        followSeeksOfPaused();
        openIdle(assigned);
        if (!isCertain()) {
            commits.confirm(assignments.values(), runner.membership()::confirmed);
        }
        boolean isTime = commits.isTime();
        for (Assignment<K, V> each : assignments.values()) {
            each.reap();
            if (isTime && each.unsettledCount() == 0) {
                // all polled records were handed out and are settled: up to the position there are no other records,
                // only markers of transactions
                Long position = position(each.partition());
                each.advance(position == null ? 0 : position, -1);
            }
        }
        if (isTime) {
            commits.async(assignments.values());
        }
        pauses.enterPoll(assignments.values());
    }

    /**
     * Tells the membership that the consumer's thread is active, so that held steps run if the membership is certain.
     *
     * @return whether the consumer is certain to own its partitions; if not, no record starts
     */
    private boolean isCertain() {
        Membership membership = runner.membership();
        boolean wasDoubtful = membership.isDoubtful();
        boolean isCertain = membership.turn(commits.unanswered());
        if (!isCertain && !wasDoubtful) {
            logger.info(() -> "Listener '" + setup.name() + "': the consumer's thread was inactive, or the broker has"
                    + " answered no commit, for so long that the consumer may have lost its partitions. No record"
                    + " starts until a commit confirms that the consumer still owns these partitions");
        }
        return isCertain;
    }

    /**
     * Opens an assignment for each partition from which nothing was polled yet. The position of such a partition has to
     * be committed, too: otherwise the partition would have no first commit.
     */
    private void openIdle(Set<TopicPartition> assigned) {
        List<TopicPartition> opened = new ArrayList<>();
        Map<TopicPartition, Long> positions = new ConcurrentHashMap<>();
        for (TopicPartition partition : assigned) {
            if (!assignments.containsKey(partition) && !leaving.contains(partition)) {
                Long position = position(partition);
                if (position != null) {
                    positions.put(partition, position);
                    opened.add(partition);
                }
            }
        }
        open(opened, positions);
    }

    /**
     * Returns the offset at which the next poll continues, or null if the offset is not known yet. This method does not
     * wait.
     */
    private @Nullable Long position(TopicPartition partition) {
        try {
            return consumer.position(partition, Duration.ZERO);
        } catch (RuntimeException notKnown) {
            return null;
        }
    }

    /**
     * Hands out the records of a poll. If that fails, the container stops, and records that were not handed out are not
     * committed.
     */
    void handOut(ConsumerRecords<K, V> records) {
        guarded(() -> {
            pauses.leavePoll();
            if (!stopped) {
                var unused = isCertain();
                handOutAll(records);
            }
        });
    }

    private void handOutAll(ConsumerRecords<K, V> records) {
        followSeeks(records);
        List<TopicPartition> opened = new ArrayList<>();
        Map<TopicPartition, Long> first = new ConcurrentHashMap<>();
        for (TopicPartition partition : records.partitions()) {
            if (leaving.remove(partition)) {
                // either the partition was assigned again, or these records were fetched before it was lost: whether
                // the broker accepts a commit tells
                runner.membership().doubt();
            }
            if (!assignments.containsKey(partition)) {
                opened.add(partition);
                first.put(partition, records.records(partition).get(0).offset());
            }
        }
        open(opened, first);
        for (TopicPartition partition : records.partitions()) {
            Assignment<K, V> assignment = assignments.get(partition);
            if (stopped) {
                // a worker has stopped this turn, without the assignments that were opened since
                giveUp();
                return;
            }
            if (assignment != null) {
                if (!handOut(assignment, records.records(partition))) {
                    return;
                }
                OffsetAndMetadata next = records.nextOffsets().get(partition);
                if (next != null) {
                    assignment.advance(next.offset(), next.leaderEpoch().orElse(-1));
                }
            }
        }
    }

    /**
     * Follows the seeks of the application. If the application has sought back, queued records are dropped and will be
     * polled again. Running records are no longer committed, but a drain of the partition still waits for them. The
     * executor keeps the order of each key. If the application has sought forward, all records from there on are handed
     * out, even those that the last owner has settled.
     */
    private void followSeeks(ConsumerRecords<K, V> records) {
        for (TopicPartition partition : records.partitions()) {
            Assignment<K, V> assignment = assignments.get(partition);
            long first = records.records(partition).get(0).offset();
            if (assignment != null && first < assignment.next()) {
                goBack(assignment, first);
            } else if (assignment != null && places.chosenInCallbacks() && first > assignment.next()) {
                // this may be a gap in the log instead: if so, some settled records are repeated
                assignment.forgetSettledFrom(first);
            }
        }
    }

    /**
     * Follows the seeks of the application in partitions whose window is full. Nothing is polled from them, so their
     * positions show a seek. A seek forward has time until the window has room.
     */
    private void followSeeksOfPaused() {
        for (Assignment<K, V> each : assignments.values()) {
            Long position = each.isPaused() ? position(each.partition()) : null;
            if (position != null && position < each.next()) {
                goBack(each, position).setPaused(true);
            }
        }
    }

    private Assignment<K, V> goBack(Assignment<K, V> assignment, long offset) {
        TopicPartition partition = assignment.partition();
        logger.info(() -> "Listener '" + setup.name() + "' goes back in " + partition + " to offset " + offset);
        assignment.drain();
        Assignment<K, V> next =
                newAssignment(partition, offset, null, CommitMetadata.NONE).after(assignment);
        assignments.put(partition, next);
        return next;
    }

    private boolean handOut(Assignment<K, V> assignment, List<ConsumerRecord<K, V>> records) {
        for (ConsumerRecord<K, V> record : records) {
            if (assignment.isSettled(record)) {
                assignment.advance(record.offset() + 1, Assignment.epochOf(record));
                setup.events().deduplicated(record.topic());
                continue;
            }
            Place place = setup.key().of(record, assignment.partition());
            TrackedRecord<K, V> tracked = new TrackedRecord<>(record, assignment, place.unusable(), System.nanoTime());
            tracked.tellFirstAttempt();
            assignment.add(tracked);
            try {
                tracked.future = setup.executor().submitAsync(place.key(), () -> runner.begin(tracked));
            } catch (Throwable refused) { // a checked one too: not all languages declare them
                // no record behind the refused one may run: the drain gives the queued records back to Kafka
                assignments.values().forEach(Assignment::drain);
                setup.refused(record, refused);
                return false;
            }
        }
        return true;
    }

    // Assignments

    private void open(List<TopicPartition> partitions, Map<TopicPartition, Long> next) {
        if (partitions.isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + LOOKUP.toNanos();
        Map<TopicPartition, OffsetAndMetadata> committed =
                lookUp(left -> consumer.committed(new HashSet<>(partitions), left), deadline);
        Map<TopicPartition, CommitMetadata> restored = restored(committed, next, deadline);
        for (TopicPartition partition : partitions) {
            assignments.put(
                    partition,
                    newAssignment(
                            partition,
                            next.getOrDefault(partition, 0L),
                            committed.get(partition),
                            restored.getOrDefault(partition, CommitMetadata.NONE)));
        }
    }

    private Assignment<K, V> newAssignment(
            TopicPartition partition, long next, @Nullable OffsetAndMetadata commit, CommitMetadata restored) {
        setup.events().assigned(partition.topic());
        return new Assignment<>(partition, next, commit, restored, this::wakeIfRoom);
    }

    /**
     * Returns the offsets that the last owners have settled beyond their commits. Asks the broker once for all
     * partitions, since the consumer group waits for this thread.
     */
    private Map<TopicPartition, CommitMetadata> restored(
            Map<TopicPartition, OffsetAndMetadata> committed, Map<TopicPartition, Long> next, long deadline) {
        Map<TopicPartition, OffsetAndMetadata> claims = new HashMap<>();
        committed.forEach((partition, commit) -> {
            // the map may contain null for a partition without a commit
            if (commit != null
                    && !commit.metadata().isEmpty()
                    && !places.isChosen(partition, next.getOrDefault(partition, 0L), commit.offset())) {
                claims.put(partition, commit);
            }
        });
        if (claims.isEmpty()) {
            return Map.of();
        }
        String cluster = clusterId.get();
        Map<TopicPartition, Long> ends =
                cluster == null ? Map.of() : lookUp(left -> consumer.endOffsets(claims.keySet(), left), deadline);
        Map<TopicPartition, CommitMetadata> restored = new HashMap<>();
        claims.forEach((partition, commit) -> {
            Long end = ends.get(partition);
            CommitMetadata claim = cluster == null || end == null
                    ? CommitMetadata.NONE
                    : CommitMetadata.decode(
                            commit.offset(), commit.metadata(), end, new Scope(cluster, setup.groupId(), partition));
            restored.put(partition, claim);
            if (claim == CommitMetadata.NONE) {
                logger.info(() -> "Listener '" + setup.name() + "': the metadata of " + partition + " at offset "
                        + commit.offset() + " is not valid here and is ignored; records behind it may be repeated");
            }
        });
        return restored;
    }

    /**
     * Asks the broker, and asks again if a wake-up that was meant for the container interrupts the request.
     *
     * @param question asks the broker within the given time
     */
    private <T> Map<TopicPartition, T> lookUp(Function<Duration, Map<TopicPartition, T>> question, long deadline) {
        while (true) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            try {
                if (left.isNegative() || left.isZero()) {
                    throw new TimeoutException("not within " + LOOKUP);
                }
                return question.apply(left);
            } catch (WakeupException again) {
                // the next round asks again, with the time that is left
            } catch (TimeoutException e) {
                logger.warn(
                        e,
                        () -> "Listener '" + setup.name() + "': the offsets of new partitions could not be read;"
                                + " records that were settled out of order may be repeated");
                return Map.of();
            } catch (RuntimeException e) {
                logger.warn(
                        e, () -> "Listener '" + setup.name() + "': the offsets of new partitions could not be read");
                return Map.of();
            }
        }
    }

    /**
     * Called when partitions are assigned. A missing call does no harm: the first record of a partition opens its
     * assignment.
     */
    void assigned(Collection<TopicPartition> partitions) {
        leaving.removeAll(partitions);
    }

    /** Drains, commits and closes partitions that are revoked. The consumer group waits until this is done. */
    void revoke(Collection<TopicPartition> partitions) {
        guarded(() -> {
            pauses.leavePoll();
            leaving.addAll(partitions);
            close(partitions, false);
        });
    }

    /**
     * Drains, commits and closes all partitions when the consumer stops. If a rebalance is under way, polls to complete
     * it, since the container does not poll any more.
     */
    void stop() {
        guarded(() -> {
            pauses.leavePoll();
            stopped = true;
            close(new ArrayList<>(assignments.keySet()), true);
        });
    }

    /** Called for partitions that other consumers own already. The results of records that still run have no effect. */
    void lose(Collection<TopicPartition> partitions) {
        guarded(() -> {
            leaving.addAll(partitions);
            loseAll(partitions);
        });
    }

    private void loseAll(Collection<TopicPartition> partitions) {
        pauses.leavePoll();
        for (TopicPartition partition : partitions) {
            Assignment<K, V> assignment = assignments.remove(partition);
            if (assignment != null) {
                assignment.drain();
                // those that still run are counted if they are settled, unless a drain has interrupted them
                int running = closing ? 0 : assignment.runningCount();
                countDropped(assignment, assignment.unsettledCount() - running);
                int unsettled = assignment.unsettledCount();
                if (unsettled == 0) {
                    logger.info(() -> "Listener '" + setup.name() + "' has lost " + partition
                            + "; all records that the listener received from this partition are settled");
                } else {
                    logger.warn(() -> "Listener '" + setup.name() + "' has lost " + partition + " with "
                            + (unsettled == 1
                                    ? "1 record that is not settled; it runs again elsewhere"
                                    : unsettled + " records that are not settled; they run again elsewhere"));
                }
            }
        }
    }

    private void close(Collection<TopicPartition> partitions, boolean mayPoll) {
        List<Assignment<K, V>> ending = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Assignment<K, V> assignment = assignments.get(partition);
            if (assignment != null) {
                ending.add(assignment);
            }
        }
        if (ending.isEmpty()) {
            return;
        }
        if (closing) {
            // called back by the last commit of a stop, which has drained all partitions
            commitLast(ending, System.nanoTime(), false);
            return;
        }
        closing = true;
        try {
            commitLast(ending, drain(ending), mayPoll);
        } finally {
            closing = false;
        }
    }

    /** Returns the time at which the drain had to be complete. */
    private long drain(List<Assignment<K, V>> ending) {
        long began = System.nanoTime();
        long deadline = began + setup.settings().drainTimeout().toNanos();
        ending.forEach(Assignment::drain);
        for (Assignment<K, V> each : ending) {
            boolean complete = each.awaitRunning(deadline);
            setup.events().drained(each.partition().topic(), Duration.ofNanos(System.nanoTime() - began), complete);
            if (!complete) {
                logger.warn(() -> "Listener '" + setup.name() + "': records of " + each.partition()
                        + " still ran after " + setup.settings().drainTimeout()
                        + "; the next owner runs them again. Threads in listeners were interrupted; asynchronous"
                        + " calls are not cancelled, and may overlap with the next run");
            }
        }
        return deadline;
    }

    private void commitLast(List<Assignment<K, V>> ending, long drainedBy, boolean mayPoll) {
        commits.sync(ending, Math.max(drainedBy, System.nanoTime() + LAST_COMMIT.toNanos()), mayPoll);
        ending.forEach(each -> {
            if (assignments.remove(each.partition(), each)) {
                // the results of those that still run are ignored: they were interrupted
                countDropped(each, each.unsettledCount());
            }
        });
    }

    private void countDropped(Assignment<K, V> assignment, int records) {
        for (int i = records; i > 0; i--) {
            setup.events().ended(assignment.partition().topic(), Outcome.DROPPED);
        }
    }
}
