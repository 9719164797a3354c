package io.orderedexecutor;

import java.util.concurrent.Executor;

/** The threads of an executor that the application handed in and keeps the ownership of. */
final class BorrowedWorkers implements Workers {

    /** May refuse, may run a queue inline, and may run it twice. */
    private final Executor executor;

    private volatile Turn turn;

    BorrowedWorkers(Executor executor, Turn turn) {
        this.executor = executor;
        this.turn = turn;
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
    public void handOver(ServedQueue queue) {
        executor.execute(queue);
    }

    @Override
    public boolean passOn(ServedQueue queue) {
        NextTurn next = new NextTurn(queue, Thread.currentThread());
        try {
            executor.execute(next);
        } catch (RuntimeException | Error refusal) {
            // no submitter is there to be told, and the tasks were accepted: the thread at hand serves them
            return false;
        }
        return next.wasTaken();
    }

    @Override
    public boolean isWantedElsewhere() {
        // there is no knowing
        return true;
    }

    /**
     * Runs a chain, unless its executor does so inline: a caller-runs executor would nest each turn in the one before it
     * and run out of stack.
     */
    private static final class NextTurn implements Runnable {
        private final ServedQueue queue;
        private final Thread giver;

        /** Read and written by the giver only. */
        private boolean giving = true;

        private boolean ranInline;

        NextTurn(ServedQueue queue, Thread giver) {
            this.queue = queue;
            this.giver = giver;
        }

        @Override
        public void run() {
            if (Thread.currentThread() == giver && giving) {
                ranInline = true;
            } else {
                queue.run();
            }
        }

        boolean wasTaken() {
            giving = false;
            return !ranInline;
        }
    }
}
