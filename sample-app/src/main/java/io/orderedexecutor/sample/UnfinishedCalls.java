package io.orderedexecutor.sample;

import static java.util.stream.Collectors.groupingBy;

import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reports the calls that were accepted and could not be made before the application had to end: one line for each
 * method, however many calls there are. A real bank would write the calls to its database.
 */
@Component
class UnfinishedCalls implements UnfinishedTasksHandler {
    private static final Logger logger = LoggerFactory.getLogger(UnfinishedCalls.class);

    @Override
    public void handle(String executorName, List<Runnable> tasks) {
        Map<String, List<OrderedAsyncCall>> byMethod = tasks.stream()
                .filter(OrderedAsyncCall.class::isInstance)
                .map(OrderedAsyncCall.class::cast)
                .collect(groupingBy(call -> call.method().getName()));
        byMethod.forEach((method, calls) -> logger.warn(
                "Not processed: {} calls of '{}', the first one with {}",
                calls.size(),
                method,
                calls.get(0).arguments()));
    }
}
