package io.orderedexecutor.engine.pool;

/**
 * Measures one thread's turn at serving: how many tasks it has run, and since when others have waited for the thread.
 * Used by that thread only; the JIT compiler keeps it in registers.
 */
public final class TurnClock {
    private int served;
    private long begunAt;

    /** Begins another turn. */
    public void begin() {
        served = 0;
        begunAt = 0;
    }

    /** So many more tasks have run. */
    public void served(int tasks) {
        served += tasks;
    }

    /** Whether the turn is over. Its time begins with the first call. */
    public boolean isOver(Turn turn, long now) {
        if (begunAt == 0) {
            begunAt = now;
        }
        return turn.isOver(served, now - begunAt);
    }

    /**
     * Whether the turn of a thread of {@code workers} is over: never before it has run a task, nor while no other work
     * waits for it. Such a thread reads no clock.
     */
    public boolean isOver(Workers workers) {
        return served > 0
                && workers.isWantedElsewhere()
                && isOver(workers.turn(), workers.platform().nanoTime());
    }
}
