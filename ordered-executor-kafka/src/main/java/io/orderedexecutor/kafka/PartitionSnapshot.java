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
 * @param parked the parked records, in the order of their offsets. A record whose dead letter was refused is among them
 *     until an action or the broker's acceptance: its state is {@code running} while the dead letter is published again
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
     * Returns how many offsets beyond the committed one are settled already, gaps of the log included. Before the first
     * commit, the offsets count from the watermark.
     *
     * @return the number of offsets, which shows roughly how far the partition has run ahead of its commit
     */
    public long ahead() {
        return Math.max(0, next - (committed < 0 ? watermark : committed) - unsettled);
    }

    static PartitionSnapshot of(Assignment<?, ?> assignment) {
        TrackedRecord<?, ?> oldest = assignment.oldest();
        List<RecordSnapshot> parked =
                assignment.parked().values().stream().map(RecordSnapshot::of).toList();
        return new PartitionSnapshot(
                assignment.partition(),
                assignment.committedOffset(),
                assignment.watermark(),
                assignment.next(),
                assignment.unsettledCount(),
                assignment.runningCount(),
                assignment.isPaused(),
                oldest == null ? null : snapshotOf(oldest, parked),
                parked);
    }

    /**
     * Returns the snapshot of a record, from the list if it is there: a second one could show the same record in
     * another state.
     */
    private static RecordSnapshot snapshotOf(TrackedRecord<?, ?> record, List<RecordSnapshot> parked) {
        return parked.stream()
                .filter(each -> each.offset() == record.offset())
                .findFirst()
                .orElseGet(() -> RecordSnapshot.of(record));
    }

    /**
     * One record that is not settled.
     *
     * @param offset its offset
     * @param key its key, as it was deserialized, or null
     * @param state {@code queued}; {@code running}, also while its dead letter is published; {@code waiting} for a
     *     retry, or for a thread that publishes it or carries out an action; {@code parked} until an action; or, if
     *     that has just changed, {@code settled} or {@code dropped}
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
            // read before the failure, which is written before a record is parked: none is shown as parked without one
            TrackedRecord.State state = record.state();
            Throwable failure = record.failure();
            return new RecordSnapshot(
                    record.offset(),
                    record.record.key(),
                    state.name().toLowerCase(Locale.ROOT),
                    Duration.ofNanos(System.nanoTime() - record.since),
                    record.attempts(),
                    failure == null ? null : RecordFailures.thrownBy(failure));
        }
    }
}
