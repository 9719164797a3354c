package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;

/**
 * Hands turns over to an executor of the application without the context of the current thread. Any caller's task may
 * be the one that makes a stripe ready, so a decorator of that executor would run the tasks of other callers in the
 * context of this caller. A call gets the context of its own caller from the decorators of the call.
 *
 * @param executor runs the turns, and may decorate them
 * @param nothing an empty context, which clears all known thread-bound values
 */
record ContextFreeHandOver(Executor executor, ContextSnapshot nothing) implements Executor {

    static Executor to(Executor executor) {
        return new ContextFreeHandOver(
                executor,
                ContextSnapshotFactory.builder().clearMissing(true).build().captureFrom());
    }

    @Override
    public void execute(Runnable turn) {
        nothing.wrap(() -> executor.execute(turn)).run();
    }
}
