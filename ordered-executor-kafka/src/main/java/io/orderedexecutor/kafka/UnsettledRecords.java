package io.orderedexecutor.kafka;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one assignment that were handed out and are not settled, in the order of their offsets: a linked list
 * that belongs to the consumer thread. Workers push what they have settled onto a stack, lock-free; the consumer thread
 * takes the whole stack and unlinks each record of it in constant time. So nothing grows with how far a partition has
 * run ahead of its oldest record.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class UnsettledRecords<K, V> {
    private final AtomicReference<@Nullable TrackedRecord<K, V>> settled = new AtomicReference<>();

    /** How many there are, as soon as workers settle, and not only when the consumer thread hears of it. */
    private final AtomicInteger count = new AtomicInteger();

    /** Volatile for those who look. Written by the consumer thread. */
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

    /** Consumer thread, in the order of offsets. */
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

    /** Any thread, once for each record. */
    void push(TrackedRecord<K, V> done) {
        TrackedRecord<K, V> top;
        do {
            top = settled.get();
            done.nextSettled = top;
        } while (!settled.compareAndSet(top, done));
        count.decrementAndGet();
    }

    /** Consumer thread: unlinks what was settled. */
    void reap() {
        TrackedRecord<K, V> done = settled.getAndSet(null);
        while (done != null) {
            unlink(done);
            highestSettled = Math.max(highestSettled, done.offset());
            TrackedRecord<K, V> below = done.nextSettled;
            // a settled record must not keep others reachable
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

    /** Consumer thread. None from this offset on counts as settled, whatever was said of it before it was polled. */
    void forgetSettledFrom(long offset) {
        highestSettled = Math.min(highestSettled, offset - 1);
    }

    /** Consumer thread. */
    void forEach(Consumer<TrackedRecord<K, V>> action) {
        for (TrackedRecord<K, V> each = first; each != null; each = each.next) {
            action.accept(each);
        }
    }

    /** The first one, as of the last {@link #reap}. Any thread. */
    @Nullable
    TrackedRecord<K, V> first() {
        return first;
    }

    /** How many are not settled. Any thread. */
    int count() {
        return count.get();
    }

    /** The highest offset that is settled, as of the last {@link #reap}, or -1. Consumer thread. */
    long highestSettled() {
        return highestSettled;
    }
}
