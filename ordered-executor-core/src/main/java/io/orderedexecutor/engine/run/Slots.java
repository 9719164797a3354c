package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.pool.SweepPace;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many pieces of an output are worked on at once. The others wait in the order in which they were added
 * here. It may differ from the order of the output, if two threads submit at once.
 *
 * <p>One thread at a time starts waiting pieces, and looks again if another thread has asked meanwhile. So a thread
 * that has to do the work itself, since the pool has refused, runs the pieces one after the other, not nested.
 */
public final class Slots {
    /** The pieces that wait for a slot. Pieces that are over stay until a sweep removes them or a thread polls them. */
    private final Queue<Piece> waiting = new ConcurrentLinkedQueue<>();

    private final SweepPace sweeps = new SweepPace();
    private final AtomicInteger free;

    /** How many requests to start pieces are not served yet; zero while no thread starts pieces. */
    private final AtomicInteger asked = new AtomicInteger();

    Slots(int slots) {
        this.free = new AtomicInteger(slots);
    }

    /** Takes a slot for a new piece if one is free and no piece waits. */
    public boolean tryTake() {
        return waiting.isEmpty() && tryAcquire();
    }

    /** Starts a piece when there is a slot. */
    public void await(Piece piece) {
        waiting.add(piece);
        startWaiting();
    }

    public void release() {
        free.getAndIncrement();
        startWaiting();
    }

    /** Called when a piece without a slot is over: it may still be in the queue. */
    void onOverWithoutSlot() {
        sweeps.onOver(() -> {
            waiting.removeIf(Piece::needsNoSlot);
            return waiting.size();
        });
    }

    private void startWaiting() {
        if (asked.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (!waiting.isEmpty() && tryAcquire()) {
                Piece piece = waiting.poll();
                if (piece != null && piece.setStartable()) {
                    piece.service().dispatcher().start(piece);
                } else {
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
