package io.orderedexecutor.kafka;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One assignment of one partition to one consumer, with the records that were handed out during it. A partition that is
 * assigned again gets another object. Records of an assignment that has ended have no effect any more.
 *
 * <pre>
 *   OPEN ──────────▶ DRAINING ──────────▶ CLOSED
 *     │   revoked, or stop      committed
 *     └───────────────────────────────────▶ CLOSED     lost: somebody else owns the partition
 * </pre>
 *
 * <p>The consumer thread makes all transitions; but after a failure, any thread may set {@code draining} early.
 * {@code draining} is set before the drain drops queued records: each drop makes the next record of the key ready, and
 * workers read {@code draining} before they start a record. The drain comes before the commit, and the commit before
 * the assignment is closed: records of a closed assignment cannot be committed any more, so the next owner would repeat
 * them.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class Assignment<K, V> {
    private final TopicPartition partition;
    private final UnsettledRecords<K, V> unsettled;

    /** The offsets that the last owner had settled beyond its commit. Consumer thread only. */
    private CommitMetadata restored;

    /** The latest leader epoch that was seen, or -1. Consumer thread only. */
    private int leaderEpoch;

    /** The leader epoch of the offset before {@link #next}, or -1 if it is not known. Consumer thread only. */
    private int epochBeforeNext = -1;

    private final AtomicInteger running = new AtomicInteger();

    /** Parked records by offset, sorted for display. There are few. */
    private final Map<Long, TrackedRecord<K, V>> parked = new ConcurrentSkipListMap<>();

    /** Read by workers before each start. Never set back to false: in a closed assignment, no record starts either. */
    private volatile boolean draining;

    /** The thread that waits for the running records, or null. */
    private volatile @Nullable Thread drainer;

    /** Called by any thread when a record stops running: the window may have room again. */
    private final Consumer<Assignment<K, V>> onSettled;

    /**
     * The earlier assignment of the same partition that the application has left by seeking back, if records of it
     * still run. Consumer thread only.
     */
    private @Nullable Assignment<K, V> left;

    // written by the consumer thread; the volatile fields are read by other threads, too

    /**
     * The offset after the last record that was handed out, or that the last owner had settled, whichever is higher.
     */
    private volatile long next;

    private volatile long committedOffset;
    private volatile boolean paused;
    private String committedMetadata;

    /**
     * Begins an assignment.
     *
     * @param next the offset of the first record that will be handed out
     * @param committed the committed offset with its metadata, or null
     * @param restored the content of that metadata
     * @param onSettled called by any thread when a record stops running
     */
    Assignment(
            TopicPartition partition,
            long next,
            @Nullable OffsetAndMetadata committed,
            CommitMetadata restored,
            Consumer<Assignment<K, V>> onSettled) {
        this.partition = partition;
        this.next = next;
        this.committedOffset = committed == null ? -1 : committed.offset();
        this.committedMetadata = committed == null ? "" : committed.metadata();
        this.restored = restored;
        this.leaderEpoch = restored.leaderEpoch();
        this.unsettled = new UnsettledRecords<>(restored.highest());
        this.onSettled = onSettled;
    }

    /**
     * Continues an earlier assignment after a seek. A drain also awaits the running records of the earlier one:
     * otherwise the next owner of the partition would run their keys at the same time.
     *
     * @param other the earlier assignment, which is drained
     */
    Assignment<K, V> after(Assignment<K, V> other) {
        left = other.lastRunning();
        return this;
    }

    private @Nullable Assignment<K, V> lastRunning() {
        if (running.get() > 0) {
            return this;
        }
        return left == null ? null : left.lastRunning();
    }

    TopicPartition partition() {
        return partition;
    }

    // handing out: consumer thread

    /**
     * Returns whether the last owner has settled a record. If a later leader has written the record, forgets that
     * records from its offset on were settled.
     */
    boolean isSettled(ConsumerRecord<?, ?> record) {
        if (record.offset() <= restored.highest() && epochOf(record) > restored.leaderEpoch()) {
            // a leader that the last owner had not seen yet has written this record and all later ones
            forgetSettledFrom(record.offset());
        }
        return restored.isSettled(record.offset());
    }

    /** Forgets that the last owner has settled records from this offset on, so that they run again. */
    void forgetSettledFrom(long offset) {
        restored = restored.below(offset);
        unsettled.forgetSettledFrom(offset);
    }

    static int epochOf(ConsumerRecord<?, ?> record) {
        return record.leaderEpoch().orElse(-1);
    }

    void add(TrackedRecord<K, V> record) {
        leaderEpoch = Math.max(leaderEpoch, epochOf(record.record));
        unsettled.add(record);
        advance(record.offset() + 1, epochOf(record.record));
    }

    /**
     * Records that all records before this offset were handed out, or settled by the last owner.
     *
     * @param epoch the leader epoch of the last of them, or -1 if it is not known
     */
    void advance(long offset, int epoch) {
        if (offset > next) {
            next = offset;
            epochBeforeNext = epoch;
        }
    }

    long next() {
        return next;
    }

    // called by workers

    void settled(TrackedRecord<K, V> record) {
        unsettled.push(record);
    }

    /**
     * Changes the number of running records. If the number falls, wakes the thread that drains, and calls
     * {@link #onSettled}.
     */
    void running(int change) {
        running.addAndGet(change);
        if (change < 0) {
            LockSupport.unpark(drainer);
            onSettled.accept(this);
        }
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * Adds a record to the list of parked records, which wait for the decision of an operator. Called by any thread.
     */
    void park(TrackedRecord<K, V> record) {
        parked.put(record.offset(), record);
        if (draining) {
            // the drain may have emptied the list already
            parked.remove(record.offset());
        }
    }

    Map<Long, TrackedRecord<K, V>> parked() {
        return parked;
    }

    // committing: consumer thread

    void reap() {
        unsettled.reap();
    }

    /** Returns the offset before which everything is settled, as of the last {@link #reap}. Called by any thread. */
    long watermark() {
        // next is read first: a record that is added in between has an offset of at least this value, and leaves the
        // watermark here. In the other order, the watermark could pass that record
        long end = next;
        TrackedRecord<K, V> first = unsettled.first();
        return first == null ? end : Math.min(first.offset(), end);
    }

    /**
     * Returns the offset to commit, with its metadata.
     *
     * @param metadataLimit the maximum number of characters of metadata, 0 for no metadata
     * @param scope the scope in which the metadata will be valid; null, for no metadata, if the scope is not known
     * @return null if the same offset and metadata are committed already
     */
    @Nullable
    OffsetAndMetadata due(int metadataLimit, CommitMetadata.@Nullable Scope scope) {
        OffsetAndMetadata current = current(metadataLimit, scope);
        return current.offset() == committedOffset && current.metadata().equals(committedMetadata) ? null : current;
    }

    /** Returns the offset to commit, with its metadata, even if it is committed already. */
    OffsetAndMetadata current(int metadataLimit, CommitMetadata.@Nullable Scope scope) {
        reap();
        long watermark = watermark();
        String metadata =
                metadataLimit > 0 && scope != null ? settledBeyond(watermark).encode(metadataLimit, scope) : "";
        TrackedRecord<K, V> first = unsettled.first();
        // an epoch that is older than the offset would look like a lost part of the log
        int epoch = first == null ? epochBeforeNext : epochOf(first.record);
        return new OffsetAndMetadata(watermark, epoch < 0 ? Optional.empty() : Optional.of(epoch), metadata);
    }

    CommitMetadata settledBeyond(long watermark) {
        long highest = unsettled.highestSettled();
        if (highest < watermark) {
            return CommitMetadata.NONE;
        }
        LongStream.Builder open = LongStream.builder();
        unsettled.forEach(record -> open.add(record.offset()));
        // these records were not settled by the last owner, and are not polled again yet: without them, the metadata
        // would claim that they are settled, and they would be lost
        for (long offset : restored.open()) {
            if (offset >= next) {
                open.add(offset);
            }
        }
        return new CommitMetadata(
                watermark,
                highest,
                leaderEpoch,
                open.build().takeWhile(offset -> offset <= highest).toArray());
    }

    void committed(OffsetAndMetadata committed) {
        committedOffset = committed.offset();
        committedMetadata = committed.metadata();
    }

    // back-pressure: consumer thread

    void setPaused(boolean paused) {
        this.paused = paused;
    }

    // the end: consumer thread

    /**
     * Lets no record start any more. Queued and waiting records are dropped later, when the consumer's thread drains.
     * Called by any thread.
     */
    void startNoMore() {
        draining = true;
    }

    /**
     * Lets no record start any more, and drops queued and waiting records. A revocation or a stop calls this for all of
     * its partitions before it waits for the running records of any of them.
     */
    void drain() {
        draining = true;
        parked.clear();
        unsettled.reap();
        unsettled.forEach(record -> {
            Future<?> future = record.future;
            if (record.drop() && future != null) {
                // frees the record's place in the executor's queue
                future.cancel(false);
            }
        });
    }

    /**
     * Waits for the running records.
     *
     * @param deadline by {@link System#nanoTime()}
     * @return false if records still ran at the deadline; listeners that were running were then interrupted
     */
    boolean awaitRunning(long deadline) {
        boolean complete = left == null || left.awaitRunning(deadline);
        return awaitOwn(deadline) && complete;
    }

    private boolean awaitOwn(long deadline) {
        boolean interrupted = false;
        drainer = Thread.currentThread();
        try {
            while (running.get() > 0) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    unsettled.reap();
                    unsettled.forEach(TrackedRecord::interrupt);
                    return false;
                }
                LockSupport.parkNanos(this, left);
                // the interrupt is restored at the end: while the flag is set, parkNanos returns at once, and this loop
                // would spin
                interrupted |= Thread.interrupted();
            }
            return true;
        } finally {
            drainer = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // looking: any thread

    boolean isPaused() {
        return paused;
    }

    long committedOffset() {
        return committedOffset;
    }

    int unsettledCount() {
        return unsettled.count();
    }

    int runningCount() {
        return running.get();
    }

    @Nullable
    TrackedRecord<K, V> oldest() {
        return unsettled.first();
    }
}
