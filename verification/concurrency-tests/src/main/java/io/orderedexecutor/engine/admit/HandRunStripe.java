package io.orderedexecutor.engine.admit;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;

/** A stripe whose tasks are digits and are run by the actors of a test: each hand-over is a step, in its order. */
final class HandRunStripe {
    static final Object KEY = "stripe";

    private final List<Runnable> steps = new CopyOnWriteArrayList<>();

    final StripedExecutor executor =
            StripedExecutor.builder().executor(steps::add).build();

    /** Written by one task after the other. */
    private int ran;

    /** How many tasks but the first have started with an interrupt, which is not meant for them. */
    private int interrupted;

    int digit(int digit) {
        interrupted += digit > 1 && Thread.currentThread().isInterrupted() ? 1 : 0;
        ran = 10 * ran + digit;
        return digit;
    }

    Runnable task(int digit) {
        return () -> digit(digit);
    }

    void run(int step) {
        if (step < steps.size()) {
            steps.get(step).run();
        }
    }

    /** Submits a task, unless that is refused. */
    boolean isAccepted(int digit) {
        try {
            executor.execute(KEY, task(digit));
            return true;
        } catch (RejectedExecutionException refused) {
            return false;
        }
    }

    /** Runs all steps, also those that come meanwhile, and gives the digits that have run, in their order. */
    int rest() {
        for (int step = 0; step < steps.size(); step++) {
            run(step);
        }
        return ran;
    }

    int interrupted() {
        return interrupted;
    }

    /** How many tasks have ended, in whichever way; negative if something is left. */
    int ends() {
        OrderedExecutorStats stats = executor.inspect().stats();
        int ends = (int) (stats.completed() + stats.failed() + stats.cancelled());
        return stats.keys() + stats.queued() + stats.active() == 0 ? ends : -1;
    }
}
