package io.orderedexecutor.spring.autoconfigure;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Drains the executors when the context stops: waits until they have nothing to do. This happens before Spring's own
 * executors stop, since ordered executors may run on them. Web servers and message listeners stop in earlier phases, so
 * tasks that they submit until their end still run. A drained executor still accepts tasks, so tasks that other tasks
 * submit during the drain run, too.
 *
 * <p>A stop of the context shuts no executor down: a stopped or paused context may start again, as contexts in the
 * cache of the test framework do, but an executor cannot start again after a shutdown. {@link ExecutorsHardStop} shuts
 * executors down if the context closes, and {@link ExecutorsShutdown} when the beans are destroyed.
 *
 * <p>This class sets no time limit: Spring waits for the callback for at most
 * {@code spring.lifecycle.timeout-per-shutdown-phase}, and then goes on.
 */
final class ExecutorsLifecycle implements SmartLifecycle {
    /**
     * Stops before Spring's own executors, with a phase for the {@linkplain ExecutorsHardStop hard stop} in between.
     */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE + 2;

    private final CreatedExecutors executors;
    private final CurrentDrain drain;

    private volatile boolean running;

    ExecutorsLifecycle(CreatedExecutors executors, CurrentDrain drain) {
        this.executors = executors;
        this.drain = drain;
    }

    @Override
    public void start() {
        drain.stop();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public void stop(Runnable callback) {
        stop();
        drain.start(callback);
    }

    /**
     * Returns true also if tasks were submitted after a stop. They have to be drained when the context closes, and
     * Spring stops only beans that are running.
     */
    @Override
    public boolean isRunning() {
        return running || !Drain.isIdle(executors.byName().values());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
