package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Logs one line with the executors that the application uses, their threads and their bounds. */
final class StartUpReport implements SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(StartUpReport.class);

    private final CreatedExecutors executors;
    private final Predicate<String> isConfigured;
    private final Predicate<String> hasMethods;

    /**
     * @param isConfigured whether an executor of a name has properties of its own
     * @param hasMethods whether an executor of a name keeps methods in order
     */
    StartUpReport(CreatedExecutors executors, Predicate<String> isConfigured, Predicate<String> hasMethods) {
        this.executors = executors;
        this.isConfigured = isConfigured;
        this.hasMethods = hasMethods;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, OrderedExecutor> created = executors.byName();
        String askedFor = created.entrySet().stream()
                .filter(entry -> isConfigured.test(entry.getKey())
                        || executors.isAskedFor(entry.getValue())
                        || hasMethods.test(entry.getKey()))
                .map(entry -> entry.getKey() + " (" + describe(entry.getValue()) + ")")
                .collect(Collectors.joining(", "));
        if (!askedFor.isEmpty()) {
            logger.info("Ordered executors: " + askedFor);
        }
        executors
                .failing()
                .forEach((name, failure) -> logger.warn("Ordered executor '" + name
                        + "' is not shown, measured or drained, because its inspection failed (" + failure
                        + "). If the executor is a mock, let the test step a real executor instead."));
        warnOfTwoDefaults(created);
    }

    /**
     * Warns if the two default beans are two executors: the default executor has only one of the two beans if the
     * application has defined the other one.
     */
    private void warnOfTwoDefaults(Map<String, OrderedExecutor> created) {
        OrderedExecutor theDefault = created.get(ExecutorsByName.DEFAULT);
        if (theDefault == null) {
            return;
        }
        boolean hasGroups = theDefault instanceof GroupedExecutor;
        if (hasGroups && executors.hasStripesOf((GroupedExecutor) theDefault)) {
            return;
        }
        Class<? extends OrderedExecutor> ofOther = hasGroups ? StripedExecutor.class : GroupedExecutor.class;
        String others = created.entrySet().stream()
                .filter(entry -> ofOther.isInstance(entry.getValue()) && !isConfigured.test(entry.getKey()))
                .map(entry -> "'" + entry.getKey() + "'")
                .collect(Collectors.joining(", "));
        if (others.isEmpty()) {
            return;
        }
        logger.warn(
                hasGroups
                        ? "Methods with a stripe and methods with groups run in no common order: methods with a stripe"
                                + " run on " + others + ", which the application defines, and methods with groups on"
                                + " the bean 'groupedExecutor'. If the methods have keys in common, define the striped"
                                + " executor as stripes() of a GroupedExecutor bean, or set executor ="
                                + " \"groupedExecutor\" on methods with a stripe."
                        : "Methods with a stripe and methods with groups run in no common order: methods with a stripe"
                                + " run on the bean 'stripedExecutor', and methods with groups on " + others + ", which"
                                + " the application defines. If the methods have keys in common, mark one of these"
                                + " executors as @Primary, or name one as the executor of methods with a stripe, too.");
    }

    private static String describe(OrderedExecutor executor) {
        OrderedExecutorSettings settings = executor.inspect().settings();
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
            String of = isStriped || isGrouped ? "key capacity " : "window ";
            parts.add(of + settings.keyCapacity());
        }
        if ((isStriped || isGrouped) && settings.capacity() == null && settings.keyCapacity() == null) {
            parts.add("no bounds");
        }
        return String.join(", ", parts);
    }
}
