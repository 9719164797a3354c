package io.orderedexecutor.sample;

import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Writes down what was accepted and could not be processed before the application had to end. A bank would write it to
 * its database.
 */
@Component
class UnfinishedEvents implements UnfinishedTasksHandler {
    private static final Logger logger = LoggerFactory.getLogger(UnfinishedEvents.class);

    @Override
    public void handle(String executorName, List<Runnable> tasks) {
        for (Runnable task : tasks) {
            if (task instanceof OrderedAsyncCall call) {
                logger.warn("Not processed: {}{}", call.method().getName(), call.arguments());
            }
        }
    }
}
