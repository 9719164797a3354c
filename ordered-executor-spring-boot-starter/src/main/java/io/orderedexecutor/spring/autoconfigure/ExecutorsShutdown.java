package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Shuts an executor down when its bean is destroyed, before a destroy method of its own would wait without a limit. The time
 * to finish was the {@linkplain ExecutorsLifecycle drain}: what has not ended by now is interrupted or does not run, and the
 * log says how much that is.
 */
final class ExecutorsShutdown implements DestructionAwareBeanPostProcessor {
    private static final Log logger = LogFactory.getLog(ExecutorsShutdown.class);

    /** Tasks that heed the interrupt end at once, while the beans that they use are still there; others are not worth more. */
    private static final long GRACE_SECONDS = 1;

    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof OrderedExecutor;
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        if (bean instanceof OrderedExecutor executor) {
            executor.shutdown();
            if (!executor.isTerminated()) {
                long active = executor.stats().active();
                List<Runnable> unstarted = executor.shutdownNow();
                logger.warn("Ordered executor '" + beanName + "' was stopped before it was done: " + unstarted.size()
                        + " queued tasks did not run, " + active + " running tasks were interrupted and have "
                        + (hasEnded(executor) ? "ended" : "not ended " + GRACE_SECONDS + " s later"));
            }
        }
    }

    private static boolean hasEnded(OrderedExecutor executor) {
        try {
            return executor.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
