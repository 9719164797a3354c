package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.engine.pool.TurnClock;
import org.jspecify.annotations.Nullable;

/** A thread's turn at serving tickets. Used by that thread only. */
final class ServingTurn {

    /**
     * A skipped ticket takes no longer than a look at the clock, but others may skip as fast as one thread can follow.
     */
    private static final int SKIPPED_PER_LOOK = 64;

    private final ServerSettings settings;
    private boolean mayRun;
    private int passed;

    /** How many outputs have run that the clock does not know of yet. */
    private int performed;

    /** Null until this thread comes to a second output: most threads run their own only. */
    private @Nullable TurnClock clock;

    /**
     * Begins.
     *
     * @param mayRun whether this thread may run outputs
     */
    ServingTurn(ServerSettings settings, boolean mayRun) {
        this.settings = settings;
        this.mayRun = mayRun;
    }

    /** No other thread will go on: begins another turn, in which this thread runs outputs. */
    void extend() {
        mayRun = true;
        passed = 0;
        performed = 0;
        clock = null;
    }

    /** An output has run. */
    void performed() {
        performed++;
    }

    /** Whether the thread leaves an output, or a ticket that is skipped if it is null, to another one. */
    boolean isOver(@Nullable Runnable output) {
        passed++;
        // a thread that has nothing more to run reads no clock
        if (output == null && passed % SKIPPED_PER_LOOK != 0) {
            return false;
        }
        if (clock == null) {
            clock = new TurnClock();
        }
        clock.served(performed);
        performed = 0;
        boolean isOver = clock.isOver(settings.turn().get(), settings.platform().nanoTime());
        return isOver || (output != null && !mayRun);
    }
}
