package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;

/**
 * Hands turns over to an executor of the application without the context of the thread that does so: whose task it is
 * that makes a stripe ready is chance, and a decorator of that executor would put the context of its caller around the
 * tasks of all others. A call has the context of its own caller by the decorators that are applied to the call.
 *
 * @param executor may decorate what it is given
 * @param nothing clears all that is known to be context
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
