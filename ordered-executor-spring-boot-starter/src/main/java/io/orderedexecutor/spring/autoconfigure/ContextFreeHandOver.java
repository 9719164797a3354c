package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.springframework.core.task.AsyncTaskExecutor;

/**
 * Hands turns over to an executor of the application without the context of the current thread. Any caller's task may
 * be the one that makes a stripe ready, so a decorator of that executor would run the tasks of other callers in the
 * context of this caller. A call gets the context of its own caller from the decorators of the call.
 */
class ContextFreeHandOver implements Executor {

    /** An empty context, which clears all known thread-bound values. */
    private final ContextSnapshot nothing =
            ContextSnapshotFactory.builder().clearMissing(true).build().captureFrom();

    private final Executor executor;

    private ContextFreeHandOver(Executor executor) {
        this.executor = executor;
    }

    /** To a pool. It is asynchronous as that is: simulations run the work of such executors on their own threads. */
    private static final class ToPool extends ContextFreeHandOver implements AsyncTaskExecutor {
        ToPool(Executor pool) {
            super(pool);
        }
    }

    /** Returns what hands turns over to the executor, which runs them and may decorate them. */
    static Executor to(Executor executor) {
        return executor instanceof ExecutorService || executor instanceof AsyncTaskExecutor
                ? new ToPool(executor)
                : new ContextFreeHandOver(executor);
    }

    @Override
    public void execute(Runnable turn) {
        nothing.wrap(() -> executor.execute(turn)).run();
    }

    @Override
    public String toString() {
        return executor.toString();
    }
}
