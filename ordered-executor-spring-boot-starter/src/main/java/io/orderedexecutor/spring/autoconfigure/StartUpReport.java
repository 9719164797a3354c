package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Says in one line which executors there are, with their threads and bounds. */
final class StartUpReport implements SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(StartUpReport.class);

    private final CreatedExecutors executors;

    StartUpReport(CreatedExecutors executors) {
        this.executors = executors;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, OrderedExecutor> created = executors.byName();
        if (!created.isEmpty() && logger.isInfoEnabled()) {
            logger.info("Ordered executors: "
                    + created.entrySet().stream()
                            .map(entry -> entry.getKey() + " (" + describe(entry.getValue()) + ")")
                            .collect(Collectors.joining(", ")));
        }
    }

    private static String describe(OrderedExecutor executor) {
        OrderedExecutorSettings settings = executor.settings();
        boolean isStriped = executor instanceof StripedExecutor;
        boolean isGrouped = executor instanceof GroupedExecutor;
        List<String> parts = new ArrayList<>();
        parts.add(isStriped ? "striped" : isGrouped ? "grouped" : "ordered output");
        Integer threads = settings.threads();
        parts.add(threads == null ? "threads of another executor" : threads == 1 ? "1 thread" : threads + " threads");
        if (settings.capacity() != null) {
            parts.add("capacity " + settings.capacity());
        }
        if (settings.keyCapacity() != null) {
            String of = isStriped ? "stripe capacity " : isGrouped ? "group capacity " : "window ";
            parts.add(of + settings.keyCapacity());
        }
        if ((isStriped || isGrouped) && settings.capacity() == null && settings.keyCapacity() == null) {
            parts.add("no bounds");
        }
        return String.join(", ", parts);
    }
}
