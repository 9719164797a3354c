package io.orderedexecutor.spring.autoconfigure;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Stops the executors that were not drained in time, in the phase after the {@linkplain ExecutorsLifecycle drain}, if the context closes: no bean is
 * destroyed yet, so whoever takes over the unfinished tasks can still use any. A context that only stops or pauses can start again, and its
 * executors go on.
 */
final class ExecutorsHardStop implements SmartLifecycle {
    static final int PHASE = ExecutorsLifecycle.PHASE - 1;

    private final CreatedExecutors executors;
    private final UnfinishedTasks unfinished;
    private final ConfigurableApplicationContext context;

    private volatile boolean running;

    ExecutorsHardStop(CreatedExecutors executors, UnfinishedTasks unfinished, ConfigurableApplicationContext context) {
        this.executors = executors;
        this.unfinished = unfinished;
        this.context = context;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        // not isActive(), which is true until all is destroyed
        if (context.isClosed()) {
            executors.byName().forEach((name, executor) -> {
                if (!Drain.isIdle(executor)) {
                    unfinished.end(name, executor);
                }
            });
        }
    }

    /** Running also after a stop: what is closed then may have to be stopped hard. */
    @Override
    public boolean isRunning() {
        return running || !Drain.isIdle(executors.byName().values());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
