package io.orderedexecutor.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Pauses partitions that have handed out as many records as the window allows, and resumes them at half of it. The
 * pauses are set on the consumer before each poll, since rebalances forget them; those of the application are never
 * lifted.
 *
 * <p>A worker wakes the consumer when a paused partition has room, and only while the consumer is in {@code poll}: at
 * any other time the wake-up would hit a commit of somebody else. The callbacks of a rebalance are called within
 * {@code poll}, and nothing can keep a wake-up from them: where they are the application's there are none, and polls
 * are short instead.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class PartitionPauses<K, V> {
    private final Consumer<?, ?> consumer;
    private final int window;
    private final boolean wakesUp;

    /** Whether the application has paused a partition, or all. Any thread; takes no lock. */
    private final Predicate<TopicPartition> pausedByApplication;

    /**
     * Whether the consumer may be woken up. Set by the consumer thread before each poll; cleared by it after, and by
     * the worker that wakes it.
     */
    private final AtomicBoolean polling = new AtomicBoolean();

    PartitionPauses(
            Consumer<?, ?> consumer, int window, boolean wakesUp, Predicate<TopicPartition> pausedByApplication) {
        this.consumer = consumer;
        this.window = window;
        this.wakesUp = wakesUp;
        this.pausedByApplication = pausedByApplication;
    }

    /** Consumer thread, when it is not in {@code poll} any more, or is in a callback there. */
    void leavePoll() {
        polling.set(false);
    }

    /** Consumer thread, the last before {@code poll}. */
    void enterPoll(Collection<Assignment<K, V>> assignments) {
        Set<TopicPartition> pause = new HashSet<>();
        Set<TopicPartition> resume = new HashSet<>();
        for (Assignment<K, V> each : assignments) {
            boolean full = each.unsettledCount() >= window;
            if (full && !each.isPaused() && !consumer.paused().contains(each.partition())) {
                each.setPaused(true);
            } else if (mayGoOn(each)) {
                each.setPaused(false);
                resume.add(each.partition());
            }
            if (each.isPaused()) {
                pause.add(each.partition());
            }
        }
        consumer.pause(pause);
        consumer.resume(resume);
        polling.set(wakesUp);
        // what was settled between the look above and here
        assignments.forEach(this::wakeIfRoom);
    }

    /** Any thread, when a record is settled. */
    void wakeIfRoom(Assignment<K, V> assignment) {
        // asked first: of many workers that find room at the same time, few come further
        if (polling.get() && mayGoOn(assignment) && polling.compareAndSet(true, false)) {
            consumer.wakeup();
        }
    }

    /**
     * Whether our pause can be lifted. It stays for as long as the application has paused the partition, too: the
     * container lifts only what it has paused itself, and would find this one paused already.
     */
    private boolean mayGoOn(Assignment<K, V> assignment) {
        return assignment.isPaused()
                && assignment.unsettledCount() <= window / 2
                && !pausedByApplication.test(assignment.partition());
    }
}
