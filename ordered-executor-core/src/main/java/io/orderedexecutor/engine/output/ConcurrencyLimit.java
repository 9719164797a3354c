package io.orderedexecutor.engine.output;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many tasks of an output run at once. The others wait, in their order.
 *
 * <p>One thread at a time starts the waiting tasks, and does so again if another has asked meanwhile; so a thread that
 * has to run tasks itself, since its pool has refused them, runs one after the other, and not one inside the other.
 */
public final class ConcurrencyLimit {

    /** What needs a slot. */
    interface Limited {

        /**
         * Called once, by any thread, when a slot was taken for this one, which waited for it.
         *
         * @return false if it needs none any more
         */
        boolean startInSlot();
    }

    private final Queue<Limited> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger free;

    /** How often a thread has asked for the waiting tasks to be started; zero while no thread starts them. */
    private final AtomicInteger asked = new AtomicInteger();

    public ConcurrencyLimit(int slots) {
        this.free = new AtomicInteger(slots);
    }

    /** Takes a slot for a task that was just placed, if there is one and no other waits for it. */
    boolean tryTake() {
        return waiting.isEmpty() && tryAcquire();
    }

    /** Starts a task when there is a slot. */
    void await(Limited task) {
        waiting.add(task);
        startWaiting();
    }

    void release() {
        free.getAndIncrement();
        startWaiting();
    }

    private void startWaiting() {
        if (asked.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (!waiting.isEmpty() && tryAcquire()) {
                if (!waiting.remove().startInSlot()) {
                    free.getAndIncrement();
                }
            }
            seen = asked.addAndGet(-seen);
        } while (seen != 0);
    }

    private boolean tryAcquire() {
        for (int before = free.get(); before > 0; before = free.get()) {
            if (free.compareAndSet(before, before - 1)) {
                return true;
            }
        }
        return false;
    }
}
