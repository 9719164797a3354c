package io.orderedexecutor.spring.autoconfigure;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Stops the executors that were not drained in time, in the phase after the {@linkplain ExecutorsLifecycle drain}, if
 * the context closes. At this time, no bean is destroyed yet, so handlers of unfinished tasks can use all beans. A
 * context that only stops or pauses can start again, and its executors go on.
 */
final class ExecutorsHardStop implements SmartLifecycle {
    static final int PHASE = ExecutorsLifecycle.PHASE - 1;

    private final CreatedExecutors executors;
    private final CurrentDrain drain;
    private final UnfinishedTasks unfinished;
    private final ConfigurableApplicationContext context;

    ExecutorsHardStop(
            CreatedExecutors executors,
            CurrentDrain drain,
            UnfinishedTasks unfinished,
            ConfigurableApplicationContext context) {
        this.drain = drain;
        this.executors = executors;
        this.unfinished = unfinished;
        this.context = context;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {
        // not isActive(), which is true until all beans are destroyed
        if (context.isClosed()) {
            drain.stop();
            executors.byName().forEach((name, executor) -> {
                if (!Drain.isIdle(executor)) {
                    unfinished.end(name, executor);
                }
            });
        }
    }

    /**
     * Returns true always, since Spring stops only beans that are running: tasks that are submitted to a stopped
     * context may have to be stopped, too, when it closes.
     */
    @Override
    public boolean isRunning() {
        return true;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
