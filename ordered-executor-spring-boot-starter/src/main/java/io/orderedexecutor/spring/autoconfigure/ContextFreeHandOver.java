package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;

/**
 * Hands turns over to an executor of the application without the context of the current thread. It is chance whose task
 * makes a stripe ready: a decorator of that executor would run the tasks of other callers in the context of this one. A
 * call has the context of its own caller by the decorators that are applied to the call.
 *
 * @param executor may decorate what it is given
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
