package io.orderedexecutor;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Refuses every n-th hand-over, by turns with an exception and with an error. */
final class RefusingExecutor implements Executor {
    private final Executor executor;
    private final int every;
    private final AtomicInteger handOvers = new AtomicInteger();

    RefusingExecutor(Executor executor, int every) {
        this.executor = executor;
        this.every = every;
    }

    @Override
    public void execute(Runnable task) {
        int number = handOvers.incrementAndGet();
        if (number % (2 * every) == 0) {
            throw new OutOfMemoryError("unable to create native thread, says the test");
        }
        if (number % every == 0) {
            throw new RejectedExecutionException("hand-over " + number + " refused by the test");
        }
        executor.execute(task);
    }

    /** Runs a submission and tells whether it was accepted. */
    static boolean accepts(Runnable submission) {
        try {
            submission.run();
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError refusal) {
            return false;
        }
    }
}
