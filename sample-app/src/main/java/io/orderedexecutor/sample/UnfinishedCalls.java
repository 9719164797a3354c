package io.orderedexecutor.sample;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reports the calls that were accepted and could not be made before the application had to end: one line for each
 * method, however many calls there are, and nothing of a client. A real bank would write the calls to its database.
 */
@Component
class UnfinishedCalls implements UnfinishedTasksHandler {
    private static final Logger logger = LoggerFactory.getLogger(UnfinishedCalls.class);

    @Override
    public void handle(String executorName, List<Runnable> tasks) {
        tasks.stream()
                .filter(OrderedAsyncCall.class::isInstance)
                .map(OrderedAsyncCall.class::cast) // its arguments are what would be written
                .collect(groupingBy(call -> call.method().getName(), counting()))
                .forEach((method, calls) -> logger.warn("Not processed: {} calls of '{}'", calls, method));
    }
}
