package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Commits the settled offsets of assignments. A failed commit stays due, whatever the failure; it neither ends the
 * consumer thread nor counts as a success. Consumer thread only.
 *
 * <p>Under the {@code consumer} protocol, a commit carries the epoch of the member, and the broker accepts only the
 * latest epoch. The broker raises the epoch in its answer to a heartbeat, which another thread of the consumer sends. A
 * commit that is sent before this answer arrives is refused as stale, although the member still owns its partitions.
 * The consumer does not repeat such a commit. The answer and the refusal arrive on the same connection, in this order,
 * so the next attempt has the new epoch.
 */
final class Commits<K, V> {
    private static final SafeLog logger = SafeLog.of(Commits.class);

    /** The length that a broker accepts unless {@code offset.metadata.max.bytes} says otherwise. */
    private static final int METADATA_LIMIT = 4096;

    private static final Duration REJOIN_POLL = Duration.ofMillis(100);

    private final Consumer<?, ?> consumer;
    private final ListenerSetup setup;
    private final Supplier<@Nullable String> clusterId;

    private final LongSupplier nanoTime;

    private int metadataLimit = METADATA_LIMIT;
    private boolean underWay;

    /**
     * Whether a commit that is to confirm the membership was not accepted yet. Such a commit is repeated, but not
     * before each poll.
     */
    private boolean isConfirming;

    private long last;

    /** Whether a commit has begun, and no commit was answered by the broker since. */
    private boolean isUnanswered;

    /** The time at which the first of these commits began. */
    private long unansweredSince;

    /** The classes of the failures that were logged as WARN since a commit was accepted. */
    private final Set<Class<?>> logged = new HashSet<>();

    Commits(Consumer<?, ?> consumer, ListenerSetup setup, Supplier<@Nullable String> clusterId, LongSupplier nanoTime) {
        this.consumer = consumer;
        this.setup = setup;
        this.clusterId = clusterId;
        this.nanoTime = nanoTime;
        this.last = nanoTime.getAsLong();
    }

    /**
     * Returns the longest time that a poll may take if no settled record is to stay uncommitted for longer than the
     * commit interval. A record that is settled just after a commit waits at most half of the interval until the next
     * commit is due, and then until the end of a poll.
     */
    static Duration longestPoll(OrderedListenerSettings settings) {
        return settings.commitInterval().dividedBy(2);
    }

    /**
     * Returns whether it is time for {@link #async}: no other commit is under way, and half of the interval has passed.
     */
    boolean isTime() {
        return !underWay
                && nanoTime.getAsLong() - last >= longestPoll(setup.settings()).toNanos();
    }

    /** Returns for how long commits have had no answer of the broker; zero if the last one had. */
    Duration unanswered() {
        return isUnanswered ? Duration.ofNanos(nanoTime.getAsLong() - unansweredSince) : Duration.ZERO;
    }

    private long begin() {
        long now = nanoTime.getAsLong();
        if (!isUnanswered) {
            isUnanswered = true;
            unansweredSince = now;
        }
        return now;
    }

    /** Commits without waiting. */
    void async(Collection<Assignment<K, V>> assignments) {
        last = nanoTime.getAsLong();
        Map<Assignment<K, V>, OffsetAndMetadata> due = due(assignments, Assignment::due);
        if (!due.isEmpty()) {
            async(due, () -> {});
        }
    }

    /**
     * Commits without waiting, to find out whether this consumer is still a member: the broker accepts commits only
     * from members of the group. So offsets that are already committed are committed again, too.
     *
     * @param isMember called on the consumer's thread when the broker has accepted the commit
     */
    void confirm(Collection<Assignment<K, V>> assignments, Runnable isMember) {
        if (underWay) {
            return;
        }
        Map<Assignment<K, V>, OffsetAndMetadata> all = due(assignments, Assignment::current);
        if (all.isEmpty()) {
            // there is no partition that another consumer could own
            isConfirming = false;
            isUnanswered = false;
            isMember.run();
        } else if (!isConfirming || isTime()) {
            isConfirming = true;
            last = nanoTime.getAsLong();
            async(all, () -> {
                isConfirming = false;
                isMember.run();
            });
        }
    }

    private void async(Map<Assignment<K, V>, OffsetAndMetadata> due, Runnable onSuccess) {
        underWay = true;
        long began = begin();
        try {
            consumer.commitAsync(offsets(due), (offsets, failure) -> {
                underWay = false;
                finished(due, began, failure, false);
                if (failure == null) {
                    onSuccess.run();
                }
            });
        } catch (RuntimeException e) {
            underWay = false;
            finished(due, began, e, false);
        }
    }

    /**
     * Commits and waits, at the end of assignments. An interrupt does not end this: the commit is the last one, and its
     * time is limited. The interrupt is set again at the end.
     *
     * @param deadline by {@link System#nanoTime()}
     * @param mayPoll whether polling can complete a rebalance that is under way; false in the callback of a rebalance
     */
    void sync(Collection<Assignment<K, V>> assignments, long deadline, boolean mayPoll) {
        boolean interrupted = Thread.interrupted();
        try {
            while (trySync(assignments, deadline, mayPoll)) {
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether another attempt may succeed. */
    private boolean trySync(Collection<Assignment<K, V>> assignments, long deadline, boolean mayPoll) {
        Map<Assignment<K, V>, OffsetAndMetadata> due = due(assignments, Assignment::due);
        Duration left = Duration.ofNanos(deadline - nanoTime.getAsLong());
        if (due.isEmpty()) {
            return false;
        }
        if (left.isNegative() || left.isZero()) {
            logger.warn(() -> "Listener '" + setup.name() + "' had no time left to commit " + positions(due)
                    + ": the records that were settled since the last commit will be repeated");
            return false;
        }
        long began = begin();
        RuntimeException failure = attempt(due, left);
        boolean hadMetadata = metadataLimit > 0;
        finished(due, began, failure, true);
        if (failure instanceof RebalanceInProgressException && mayPoll) {
            completeRebalance();
            return true;
        }
        // after a success, something may have become due meanwhile
        return failure == null
                || failure instanceof WakeupException
                || failure instanceof InterruptException
                || failure instanceof StaleMemberEpochException
                || (failure instanceof OffsetMetadataTooLarge && hadMetadata);
    }

    private @Nullable RuntimeException attempt(Map<Assignment<K, V>, OffsetAndMetadata> due, Duration timeout) {
        int epoch = -1;
        try {
            epoch = epoch();
            consumer.commitSync(offsets(due), timeout);
            return null;
        } catch (CommitFailedException e) {
            // the broker gives the same answer for a stale epoch and for a member that was thrown out, but the consumer
            // gets a new epoch only in the first case
            return epoch() == epoch ? e : new StaleMemberEpochException(e.getMessage());
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Returns the epoch of the member, or the generation of the group under the classic protocol. */
    private int epoch() {
        return consumer.groupMetadata().generationId();
    }

    /**
     * Polls once to complete a rebalance, since the container does not poll any more. Records that this poll may return
     * are not handed out, so they are not committed.
     */
    private void completeRebalance() {
        try {
            consumer.pause(consumer.assignment());
            consumer.poll(REJOIN_POLL);
        } catch (RuntimeException e) {
            logger.debug(e, () -> "Listener '" + setup.name() + "': poll to complete a rebalance");
        }
    }

    /** Determines what an assignment has to commit, or null. */
    @FunctionalInterface
    private interface Due<K, V> {
        @Nullable
        OffsetAndMetadata of(Assignment<K, V> assignment, int metadataLimit, @Nullable Scope scope);
    }

    private Map<Assignment<K, V>, OffsetAndMetadata> due(Collection<Assignment<K, V>> assignments, Due<K, V> what) {
        String cluster = metadataLimit > 0 ? clusterId.get() : null;
        Map<Assignment<K, V>, OffsetAndMetadata> due = new HashMap<>();
        for (Assignment<K, V> assignment : assignments) {
            // otherwise another consumer already owns the partition, although no callback was called yet
            if (consumer.assignment().contains(assignment.partition())) {
                Scope scope = cluster == null ? null : new Scope(cluster, setup.groupId(), assignment.partition());
                OffsetAndMetadata commit = what.of(assignment, metadataLimit, scope);
                if (commit != null) {
                    due.put(assignment, commit);
                }
            }
        }
        return due;
    }

    private static Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets(
            Map<? extends Assignment<?, ?>, OffsetAndMetadata> due) {
        Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        due.forEach((assignment, commit) -> offsets.put(assignment.partition(), commit));
        return offsets;
    }

    /** As {@link #offsets}, without the metadata, which may have thousands of characters. */
    private static Map<org.apache.kafka.common.TopicPartition, Long> positions(
            Map<? extends Assignment<?, ?>, OffsetAndMetadata> due) {
        Map<org.apache.kafka.common.TopicPartition, Long> positions = new HashMap<>();
        due.forEach((assignment, commit) -> positions.put(assignment.partition(), commit.offset()));
        return positions;
    }

    /** @param isLast whether the assignments end, so that it matters for each of them whether the commit has failed */
    private void finished(
            Map<Assignment<K, V>, OffsetAndMetadata> commits, long began, @Nullable Exception failure, boolean isLast) {
        Duration took = Duration.ofNanos(nanoTime.getAsLong() - began);
        if (isAnswer(failure)) {
            isUnanswered = false;
        }
        if (failure == null) {
            commits.forEach(Assignment::committed);
            if (!logged.isEmpty()) {
                logged.clear();
                logger.info(() -> "Listener '" + setup.name() + "': the broker accepts commits again");
            }
        }
        commits.keySet().stream()
                .map(assignment -> assignment.partition().topic())
                .distinct()
                .forEach(topic -> setup.events().committed(topic, took, failure == null));
        if (failure == null) {
            commits.forEach((assignment, commit) -> {
                setup.events()
                        .metadata(
                                assignment.partition().topic(),
                                commit.metadata().length());
            });
        } else if (failure instanceof OffsetMetadataTooLarge && metadataLimit > 0) {
            metadataLimit = 0;
            last = nanoTime.getAsLong() - setup.settings().commitInterval().toNanos();
            logger.warn(
                    () -> "Listener '" + setup.name() + "': the broker refused the metadata of a commit as too large"
                            + " (offset.metadata.max.bytes). From now on commits have none, so a new owner "
                            + "repeats what is settled out of order.");
        } else if (failure instanceof StaleMemberEpochException) {
            last = nanoTime.getAsLong() - setup.settings().commitInterval().toNanos();
            logger.debug(
                    failure,
                    () -> "Listener '" + setup.name() + "': a commit is due again, with the member's new epoch");
        } else if (failure instanceof WakeupException
                || failure instanceof InterruptException
                || failure instanceof RebalanceInProgressException) {
            logger.debug(failure, () -> "Listener '" + setup.name() + "': a commit is due again");
        } else if (logged.add(causeOf(failure).getClass()) || isLast) {
            logger.warn(
                    failure,
                    () -> "Listener '" + setup.name() + "': a commit failed and is due again: " + positions(commits)
                            + (isLast
                                    ? ""
                                    : ". Until one is accepted, more failures of this kind are logged as DEBUG"));
        } else {
            logger.debug(failure, () -> "Listener '" + setup.name() + "': a commit failed and is due again");
        }
    }

    /**
     * Returns whether the broker has answered a commit, with a failure or without one. During a rebalance, the consumer
     * itself refuses commits, so a rebalance that hangs since the broker is out of reach is not noticed.
     */
    private static boolean isAnswer(@Nullable Exception failure) {
        Throwable cause = failure == null ? null : causeOf(failure);
        return !(cause instanceof TimeoutException
                || cause instanceof DisconnectException
                || cause instanceof NetworkException
                || cause instanceof CoordinatorNotAvailableException
                || cause instanceof RetriableCommitFailedException
                || cause instanceof WakeupException
                || cause instanceof InterruptException);
    }

    private static Throwable causeOf(Exception failure) {
        Throwable cause = failure instanceof RetriableCommitFailedException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }
}
