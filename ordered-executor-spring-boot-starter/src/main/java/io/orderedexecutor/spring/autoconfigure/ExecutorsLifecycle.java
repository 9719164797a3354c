package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Drains the executors when the context stops: waits until they have nothing to do, in the phase before that of Spring's own
 * executors, on which they may run. Web servers and message listeners stop in earlier phases, so what they submit until their
 * end still runs; and since a drained executor goes on accepting, so does what tasks submit to another executor meanwhile.
 *
 * <p>Stopping shuts nothing down: a stopped or paused context may start again, as the contexts of the test framework's cache do, and an
 * executor that is shut down cannot. {@link ExecutorsShutdown} does that when the beans are destroyed.
 *
 * <p>There is no limit here: Spring waits for the callback at most for {@code spring.lifecycle.timeout-per-shutdown-phase},
 * and goes on.
 */
final class ExecutorsLifecycle implements SmartLifecycle {
    private final ConfigurableListableBeanFactory beanFactory;

    private volatile boolean running;
    private volatile CompletableFuture<?> drain = CompletableFuture.completedFuture(null);

    ExecutorsLifecycle(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    public void start() {
        drain.cancel(false);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is the last that happens
    public void stop(Runnable callback) {
        stop();
        CompletableFuture<?> drain = Drain.of(created());
        this.drain = drain;
        drain.whenComplete((result, failure) -> callback.run());
    }

    /** Running also if tasks were submitted after a stop: closing the context has to drain those, and asks only what runs. */
    @Override
    public boolean isRunning() {
        return running || !Drain.isIdle(created());
    }

    @Override
    public int getPhase() {
        return ExecutorConfigurationSupport.DEFAULT_PHASE + 1;
    }

    /** The executors that exist. One that nobody has asked for yet is not created to be drained. */
    private List<OrderedExecutor> created() {
        List<OrderedExecutor> created = new ArrayList<>();
        for (String name : beanFactory.getBeanNamesForType(OrderedExecutor.class, false, false)) {
            if (beanFactory.getSingleton(name) instanceof OrderedExecutor executor) {
                created.add(executor);
            }
        }
        return created;
    }
}
