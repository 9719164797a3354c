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
 * One assignment of one partition to one consumer, and what was handed out during it. The object is the epoch: a
 * partition that comes back is another object, and what the records of this one do after its end changes nothing.
 *
 * <pre>
 *   OPEN ──────────▶ DRAINING ──────────▶ CLOSED
 *     │   revoked, or stop      committed
 *     └───────────────────────────────────▶ CLOSED     lost: somebody else owns the partition
 * </pre>
 *
 * <p>All transitions are the consumer thread's. {@code draining} is set before the sweep, since the end of a dropped
 * record makes its successor ready, and each start asks for it. Draining ends before the commit, and the commit before
 * the end of the assignment: what was closed first could not be committed any more, and would be repeated by the next
 * owner.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class Assignment<K, V> {
    private final TopicPartition partition;
    private final UnsettledRecords<K, V> unsettled;

    /** What the last owner had settled beyond its commit. Consumer thread only. */
    private CommitMetadata restored;

    /** The latest that was seen, or -1. Consumer thread only. */
    private int leaderEpoch;

    private final AtomicInteger running = new AtomicInteger();

    /** Parked records by offset: few, and in order for those who look. */
    private final Map<Long, TrackedRecord<K, V>> parked = new ConcurrentSkipListMap<>();

    /** Asked by workers before each start. Never goes back to false: a closed assignment starts nothing, either. */
    private volatile boolean draining;

    /** The thread that waits for the running records, or null. */
    private volatile @Nullable Thread drainer;

    /** Called by workers when a record is settled: there may be room. */
    private final Consumer<Assignment<K, V>> onSettled;

    /**
     * The one of the same partition that the application has left by going back, if records of it still run. Consumer
     * thread only.
     */
    private @Nullable Assignment<K, V> left;

    // the consumer thread's; volatile for those who look

    /** The end of what was handed out. */
    private volatile long next;

    private volatile long committedOffset;
    private volatile boolean paused;
    private String committedMetadata;

    /**
     * Begins an assignment.
     *
     * @param next the offset of the first record that will be handed out
     * @param committed what is committed, or null
     * @param restored what it claims
     * @param onSettled called on workers after each settled record
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
     * Continues another one after a seek. A drain awaits the records of that, too: the next owner of the partition
     * would run their keys at the same time.
     *
     * @param other drained
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

    /** Whether the last owner has settled it. */
    boolean isSettled(ConsumerRecord<?, ?> record) {
        if (record.offset() <= restored.highest() && epochOf(record) > restored.leaderEpoch()) {
            // written by a later leader than the last owner has seen, and so is all behind it
            forgetSettledFrom(record.offset());
        }
        return restored.isSettled(record.offset());
    }

    /** Whatever the last owner has settled from this offset on is to run again. */
    void forgetSettledFrom(long offset) {
        restored = restored.below(offset);
        unsettled.forgetSettledFrom(offset);
    }

    private static int epochOf(ConsumerRecord<?, ?> record) {
        return record.leaderEpoch().orElse(-1);
    }

    void add(TrackedRecord<K, V> record) {
        leaderEpoch = Math.max(leaderEpoch, epochOf(record.record));
        unsettled.add(record);
        next = record.offset() + 1;
    }

    /** What is before this offset was handed out, settled by the last owner, or is no record. */
    void advance(long offset) {
        next = Math.max(next, offset);
    }

    long next() {
        return next;
    }

    // what workers tell

    void settled(TrackedRecord<K, V> record) {
        unsettled.push(record);
    }

    /** Counts those that run; wakes the drain when one ends. */
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

    /** Lists a record, for those who decide on it. Any thread. */
    void park(TrackedRecord<K, V> record) {
        parked.put(record.offset(), record);
        if (draining) {
            // the drain may have emptied the list before
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

    /** The offset before which everything is settled, as of the last {@link #reap}. Any thread. */
    long watermark() {
        // next is read first: what is added in between only moves the watermark back to that record
        long end = next;
        TrackedRecord<K, V> first = unsettled.first();
        return first == null ? end : Math.min(first.offset(), end);
    }

    /**
     * What is to be committed.
     *
     * @param metadataLimit how many characters of metadata there may be, 0 for none
     * @param scope where the metadata will be valid; null if that is not known, for none
     * @return null if that is committed already
     */
    @Nullable
    OffsetAndMetadata due(int metadataLimit, CommitMetadata.@Nullable Scope scope) {
        OffsetAndMetadata current = current(metadataLimit, scope);
        return current.offset() == committedOffset && current.metadata().equals(committedMetadata) ? null : current;
    }

    /** What is settled now, as {@link #due}. */
    OffsetAndMetadata current(int metadataLimit, CommitMetadata.@Nullable Scope scope) {
        reap();
        long watermark = watermark();
        String metadata =
                metadataLimit > 0 && scope != null ? settledBeyond(watermark).encode(metadataLimit, scope) : "";
        TrackedRecord<K, V> first = unsettled.first();
        int epoch = first == null ? leaderEpoch : epochOf(first.record);
        return new OffsetAndMetadata(watermark, epoch < 0 ? Optional.empty() : Optional.of(epoch), metadata);
    }

    CommitMetadata settledBeyond(long watermark) {
        long highest = unsettled.highestSettled();
        if (highest < watermark) {
            return CommitMetadata.NONE;
        }
        LongStream.Builder open = LongStream.builder();
        unsettled.forEach(record -> open.add(record.offset()));
        // what the last owner had open and is not polled again yet: left out, it would be claimed, and lost
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

    /** Nothing starts any more; what is queued or waits is dropped when the consumer's thread drains. Any thread. */
    void startNoMore() {
        draining = true;
    }

    /**
     * Nothing starts any more; what is queued or waits is Kafka's again. To be called for all partitions before any is
     * awaited.
     */
    void drain() {
        draining = true;
        parked.clear();
        unsettled.reap();
        unsettled.forEach(record -> {
            Future<?> future = record.future;
            if (record.drop() && future != null) {
                // frees its place in the executor's queue
                future.cancel(false);
            }
        });
    }

    /**
     * Waits for the records that run.
     *
     * @param deadline by {@link System#nanoTime()}
     * @return false if some still ran then: they were interrupted
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
                // kept for later: it would turn this into a loop
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
