package io.orderedexecutor.kafka;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one assignment that were handed out and are not settled, in the order of their offsets: a linked list
 * that belongs to the consumer thread. Workers push settled records onto a lock-free stack. The consumer thread takes
 * the whole stack and unlinks each of its records in constant time. So neither time nor memory depends on how far a
 * partition has run ahead of its oldest record.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class UnsettledRecords<K, V> {
    private final AtomicReference<@Nullable TrackedRecord<K, V>> settled = new AtomicReference<>();

    /**
     * The number of unsettled records. A worker lowers this number as soon as it settles a record, before the consumer
     * thread unlinks the record.
     */
    private final AtomicInteger count = new AtomicInteger();

    /** Written by the consumer thread; volatile, since other threads read it. */
    private volatile @Nullable TrackedRecord<K, V> first;

    private @Nullable TrackedRecord<K, V> last;
    private long highestSettled;

    /**
     * Creates an empty list.
     *
     * @param highestSettled the highest offset that is known to be settled, or -1
     */
    UnsettledRecords(long highestSettled) {
        this.highestSettled = highestSettled;
    }

    /** Appends a record. Called by the consumer thread, in the order of offsets. */
    void add(TrackedRecord<K, V> added) {
        TrackedRecord<K, V> before = last;
        added.previous = before;
        if (before == null) {
            first = added;
        } else {
            before.next = added;
        }
        last = added;
        count.incrementAndGet();
    }

    /** Pushes a settled record onto the stack. Called by any thread, once for each record. */
    void push(TrackedRecord<K, V> done) {
        TrackedRecord<K, V> top;
        do {
            top = settled.get();
            done.nextSettled = top;
        } while (!settled.compareAndSet(top, done));
        count.decrementAndGet();
    }

    /** Unlinks the records that were settled. Called by the consumer thread. */
    void reap() {
        TrackedRecord<K, V> done = settled.getAndSet(null);
        while (done != null) {
            unlink(done);
            highestSettled = Math.max(highestSettled, done.offset());
            TrackedRecord<K, V> below = done.nextSettled;
            // a settled record must not keep other records reachable
            done.nextSettled = null;
            done = below;
        }
    }

    private void unlink(TrackedRecord<K, V> done) {
        TrackedRecord<K, V> before = done.previous;
        TrackedRecord<K, V> after = done.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        done.previous = null;
        done.next = null;
    }

    /** Forgets that records from this offset on were settled before they were polled. Called by the consumer thread. */
    void forgetSettledFrom(long offset) {
        highestSettled = Math.min(highestSettled, offset - 1);
    }

    /** Calls an action for each unsettled record. Called by the consumer thread. */
    void forEach(Consumer<TrackedRecord<K, V>> action) {
        for (TrackedRecord<K, V> each = first; each != null; each = each.next) {
            action.accept(each);
        }
    }

    /** Returns the first unsettled record as of the last {@link #reap}, or null. Called by any thread. */
    @Nullable
    TrackedRecord<K, V> first() {
        return first;
    }

    /** Returns the number of unsettled records. Called by any thread. */
    int count() {
        return count.get();
    }

    /**
     * Returns the highest offset that is settled as of the last {@link #reap}, or -1. Called by the consumer thread.
     */
    long highestSettled() {
        return highestSettled;
    }
}
