package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One assigned partition of a listener at one moment.
 *
 * @param partition the partition
 * @param committed the committed offset, or -1 if none is known
 * @param watermark the offset before which everything is settled
 * @param next the offset after the last record that was handed out, or that the last owner had settled, whichever is
 *     higher
 * @param unsettled how many records were handed out and are not settled
 * @param running how many of them run
 * @param paused whether the partition is paused because its window is full
 * @param oldest the record that holds the commit back, or null
 * @param parked the parked records, those whose dead letter was refused included, in the order of their offsets
 */
public record PartitionSnapshot(
        TopicPartition partition,
        long committed,
        long watermark,
        long next,
        int unsettled,
        int running,
        boolean paused,
        @Nullable RecordSnapshot oldest,
        List<RecordSnapshot> parked) {

    /** Copies the list. */
    public PartitionSnapshot {
        parked = List.copyOf(parked);
    }

    /**
     * Returns how many offsets beyond the committed one are settled already, gaps of the log included.
     *
     * @return the number of offsets, which shows roughly how far the partition has run ahead of its commit
     */
    public long ahead() {
        return Math.max(0, next - Math.max(committed, 0) - unsettled);
    }

    static PartitionSnapshot of(Assignment<?, ?> assignment) {
        TrackedRecord<?, ?> oldest = assignment.oldest();
        return new PartitionSnapshot(
                assignment.partition(),
                assignment.committedOffset(),
                assignment.watermark(),
                assignment.next(),
                assignment.unsettledCount(),
                assignment.runningCount(),
                assignment.isPaused(),
                oldest == null ? null : RecordSnapshot.of(oldest),
                assignment.parked().values().stream().map(RecordSnapshot::of).toList());
    }

    /**
     * One record that is not settled.
     *
     * @param offset its offset
     * @param key its key, as it was deserialized, or null
     * @param state {@code queued}, {@code running} or {@code waiting}; {@code settled} if that has just changed
     * @param age how long ago it was handed out
     * @param attempts the number of attempts since it was handed out, or since an operator resumed it
     * @param failure the last exception of its listener, or the reason why the record cannot run; null if there is
     *     neither
     */
    public record RecordSnapshot(
            long offset,
            @Nullable Object key,
            String state,
            Duration age,
            int attempts,
            @Nullable Throwable failure) {

        static RecordSnapshot of(TrackedRecord<?, ?> record) {
            Throwable failure = record.failure();
            return new RecordSnapshot(
                    record.offset(),
                    record.record.key(),
                    record.state().name().toLowerCase(Locale.ROOT),
                    Duration.ofNanos(System.nanoTime() - record.since),
                    record.attempts(),
                    failure == null ? null : RecordFailures.thrownBy(failure));
        }
    }
}
