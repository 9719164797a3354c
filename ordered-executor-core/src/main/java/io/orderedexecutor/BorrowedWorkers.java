package io.orderedexecutor;

import java.util.concurrent.Executor;

/**
 * The threads of an executor that the application handed in and keeps the ownership of.
 *
 * @param executor may refuse, may run a chain inline, and may run it twice
 * @param turn how long a thread stays with one queue; there is no knowing who else waits for it
 */
record BorrowedWorkers(Executor executor, Turn turn) implements Workers {

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
