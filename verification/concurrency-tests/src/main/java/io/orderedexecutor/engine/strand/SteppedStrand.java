package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.TaskEnd;
import java.util.concurrent.atomic.AtomicInteger;

/** A strand of one or two tasks that runs when it is told to. */
final class SteppedStrand extends Strand {
    private final AtomicInteger behind = new AtomicInteger();

    SteppedStrand(TaskFuture<?> first, FailurePolicy policy) {
        this(new Link(first), policy);
        placeBehind();
    }

    /** A strand whose first task comes later. */
    SteppedStrand(QueuedReservation first, Host host) {
        this(host, new Link(first.place()));
        placeBehind();
    }

    /** With no task behind the first one. */
    SteppedStrand(Link first, FailurePolicy policy) {
        this(newHost(policy), first);
    }

    private SteppedStrand(Host host, Link first) {
        super(host, "key", first, READY, true, false);
    }

    private void placeBehind() {
        place(new Link(behind::getAndIncrement), Limits.UNLIMITED);
    }

    /** What such a strand runs on. */
    static Host newHost(FailurePolicy policy) {
        return new Host(new Steps(), new TaskReporter(null, Platform.JDK), policy, new ShutdownState(), null);
    }

    /** Runs what can be run; returns how many tasks have run behind the first, and how many have ended. */
    int[] runToTheEnd() {
        while (!hasEnded() && suspension() == null && hold() == null) {
            run();
        }
        TaskReporter reporter = host().reporter();
        long ends = 0;
        for (TaskEnd end : TaskEnd.values()) {
            ends += reporter.counted(end);
        }
        return new int[] {behind.get(), (int) ends};
    }

    @Override
    public String toString() {
        return "a strand that is stepped";
    }

    @Override
    public void run() {
        Serving.run(this);
    }

    @Override
    public void onEnd(boolean mayStay) {
        // it is in no table
    }

    /** Hands nothing over: what a thread passes on is run later. */
    private static final class Steps implements Workers {

        @Override
        public void handOver(Runnable work) {
            // run later
        }

        @Override
        public boolean passOn(Runnable work) {
            return true;
        }

        @Override
        public void runElsewhere(Runnable work) {
            // run later
        }

        @Override
        public boolean isWantedElsewhere() {
            return false;
        }

        @Override
        public Platform platform() {
            return Platform.JDK;
        }

        @Override
        public Turn turn() {
            return Turn.DEFAULT;
        }

        @Override
        public void setTurn(Turn turn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int threads() {
            return UNKNOWN;
        }

        @Override
        public void setThreads(int threads) {
            throw new UnsupportedOperationException();
        }
    }
}
