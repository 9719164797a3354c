package io.orderedexecutor.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Pauses partitions that have as many unsettled records as the window allows, and resumes them at half of the window.
 * The pauses are set on the consumer before each poll, since rebalances forget them. This class never ends a pause of
 * the application.
 *
 * <p>A worker wakes the consumer when a paused partition has room, but only while the consumer is in {@code poll}: at
 * any other time, the wake-up would interrupt another call, such as a commit. The callbacks of a rebalance are called
 * within {@code poll}, so a wake-up could interrupt them. If the application has such callbacks, workers do not wake
 * the consumer, and polls are short instead.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class PartitionPauses<K, V> {
    private final Consumer<?, ?> consumer;
    private final int window;
    private final boolean wakesUp;

    /**
     * Returns whether the application has paused a partition, or all partitions. May be called by any thread; takes no
     * lock.
     */
    private final Predicate<TopicPartition> pausedByApplication;

    /**
     * Whether the consumer may be woken up. Set by the consumer thread before each poll; cleared by the consumer thread
     * after the poll, and by the worker that wakes it up.
     */
    private final AtomicBoolean polling = new AtomicBoolean();

    PartitionPauses(
            Consumer<?, ?> consumer, int window, boolean wakesUp, Predicate<TopicPartition> pausedByApplication) {
        this.consumer = consumer;
        this.window = window;
        this.wakesUp = wakesUp;
        this.pausedByApplication = pausedByApplication;
    }

    /**
     * Forbids wake-ups. Called by the consumer thread when it has left {@code poll}, or is in a callback within
     * {@code poll}.
     */
    void leavePoll() {
        polling.set(false);
    }

    /** Pauses and resumes partitions, and allows wake-ups. Called by the consumer thread right before {@code poll}. */
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
        // records may have been settled since the loop above
        assignments.forEach(this::wakeIfRoom);
    }

    /**
     * Wakes the consumer if it is in {@code poll} and this partition may go on. Called by any thread when a record is
     * settled or waits.
     */
    void wakeIfRoom(Assignment<K, V> assignment) {
        // polling is read first, since a read is cheap: of many workers that find room at the same time, few go on to
        // the next checks
        if (polling.get() && mayGoOn(assignment) && polling.compareAndSet(true, false)) {
            consumer.wakeup();
        }
    }

    /**
     * Returns whether our pause of a partition can be ended. It continues while the application has paused the
     * partition, too. The container does not pause a partition that is paused already, so a resumption here would end
     * the application's pause, too.
     */
    private boolean mayGoOn(Assignment<K, V> assignment) {
        return assignment.isPaused()
                && assignment.unsettledCount() <= window / 2
                && !pausedByApplication.test(assignment.partition());
    }
}
