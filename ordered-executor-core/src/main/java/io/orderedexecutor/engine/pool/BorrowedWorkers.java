package io.orderedexecutor.engine.pool;

import java.util.concurrent.Executor;

/** The threads of an executor that the application handed in and keeps the ownership of. */
public final class BorrowedWorkers implements Workers {

    /** May refuse, may run a queue inline, and may run it twice. */
    private final Executor executor;

    private final Platform platform;
    private volatile Turn turn;

    public BorrowedWorkers(Executor executor, Turn turn, Platform platform) {
        this.platform = platform;
        this.executor = executor;
        this.turn = turn;
    }

    @Override
    public Platform platform() {
        return platform;
    }

    @Override
    public Turn turn() {
        return turn;
    }

    @Override
    public void setTurn(Turn turn) {
        this.turn = turn;
    }

    @Override
    public int threads() {
        return UNKNOWN;
    }

    @Override
    public void setThreads(int threads) {
        throw new IllegalStateException("the threads are those of " + executor
                + ", which was handed in; change their number there, or build the executor with threads of its own");
    }

    @Override
    public void handOver(Runnable work) {
        executor.execute(work);
    }

    @Override
    public boolean passOn(Runnable work) {
        return InlineGuard.handOver(executor, work);
    }

    @Override
    public void runElsewhere(Runnable work) {
        if (!passOn(work)) {
            platform.runAsync(work);
        }
    }

    @Override
    public boolean isWantedElsewhere() {
        // there is no knowing, and nobody asks where it makes no difference
        return turn != Turn.UNTIL_EMPTY;
    }
}
