package io.orderedexecutor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many pieces of an output may be worked on at once, and those that wait until it is fewer, in their order.
 *
 * <p>One thread at a time starts those that wait, and does so again if somebody has asked meanwhile; so a thread that
 * has to run pieces itself, since its pool has refused them, runs one after the other, and not one inside the other.
 */
final class Slots {
    private final Queue<Piece> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger free;

    /** How often somebody has asked for those that wait to be started; zero while nobody does so. */
    private final AtomicInteger asked = new AtomicInteger();

    Slots(int slots) {
        this.free = new AtomicInteger(slots);
    }

    /** Takes a slot for a piece that was just placed, if there is one and nobody waits for it. */
    boolean tryTake(Piece piece) {
        boolean takes = waiting.isEmpty() && tryAcquire();
        if (takes) {
            piece.takeSlot();
        }
        return takes;
    }

    /** Starts a piece when there is a slot. */
    void await(Piece piece) {
        waiting.add(piece);
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
                Piece next = waiting.remove();
                next.takeSlot();
                next.startInSlot();
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
