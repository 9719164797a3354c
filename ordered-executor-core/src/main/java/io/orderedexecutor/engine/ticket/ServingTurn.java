package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.engine.pool.TurnClock;
import org.jspecify.annotations.Nullable;

/** A thread's turn at serving tickets. Used by that thread only. */
public final class ServingTurn {

    /** What has to wait until a thread that serves has told of all that it has served. */
    public interface AfterServing {

        /** Called once, with no right to serve. */
        void afterServing();
    }

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

    private @Nullable AfterServing kept;

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

    /** Keeps something until this thread has left; one at a time is enough. */
    void keep(@Nullable AfterServing ended) {
        if (ended != null) {
            end();
            kept = ended;
        }
    }

    /** This thread has left. */
    void end() {
        AfterServing last = kept;
        kept = null;
        if (last != null) {
            last.afterServing();
        }
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
