package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The methods that each executor keeps in order. Their keys decide which calls wait for each other, and this is easy to
 * get wrong. So the methods are listed in the log, with a warning where values that look equal are different keys.
 */
final class OrderedMethods {
    private static final Log logger = LogFactory.getLog(OrderedMethods.class);

    /** By name: transactions are optional. */
    private static final String TRANSACTIONAL_LISTENER =
            "org.springframework.transaction.event.TransactionalEventListener";

    /** The methods by the name of the executor, sorted by name, since the order of the beans has no meaning. */
    private final Map<String, List<OrderedAsyncOperation>> byExecutor;

    OrderedMethods(Collection<OrderedAsyncOperation> operations) {
        this.byExecutor = operations.stream()
                .collect(Collectors.groupingBy(
                        operation -> operation.submitter().executorReported().name(),
                        TreeMap::new,
                        Collectors.toList()));
    }

    /** The methods of an executor, as class, name and parameters. */
    List<String> of(String executor) {
        return byExecutor.getOrDefault(executor, List.of()).stream()
                .map(operation -> shortOf(operation.method()))
                .distinct()
                .sorted()
                .toList();
    }

    void log() {
        byExecutor.forEach((executor, operations) -> {
            if (logger.isInfoEnabled()) {
                logger.info("Ordered executor '" + executor + "' keeps these methods in order, by their keys: "
                        + String.join(", ", of(executor)));
            }
            operations.stream()
                    .collect(Collectors.groupingBy(
                            operation -> operation.submitter().space()))
                    .forEach((space, ofSpace) -> {
                        warnIfNeverEqual(executor, ofSpace);
                        warnIfEventsAreDiscarded(executor, ofSpace);
                    });
        });
    }

    /** Warns of methods whose calls may discard the events of committed transactions, which may have the same keys. */
    private static void warnIfEventsAreDiscarded(String executor, List<OrderedAsyncOperation> ofSpace) {
        ofSpace.stream()
                .filter(OrderedMethods::isOfCommittedEvents)
                .findFirst()
                .ifPresent(listener -> ofSpace.stream()
                        .filter(OrderedMethods::mayDiscard)
                        .forEach(discarding -> logger.warn(shortOf(discarding.method())
                                + " discards the oldest queued task of its key when the ordered executor '" + executor
                                + "' has no room for it. This may be a call of " + shortOf(listener.method())
                                + " with an event of a committed transaction, which is lost then. Set overflow to"
                                + " REJECT or BLOCK, or give the method another space or executor.")));
    }

    private static boolean mayDiscard(OrderedAsyncOperation operation) {
        OrderedAsync annotation = OrderedAsyncOperations.annotationOf(operation.method());
        // a task with all groups discards nothing
        return annotation != null
                && annotation.overflow() == OrderedAsync.OverflowMode.DISCARD_OLDEST
                && !annotation.barrier();
    }

    private static boolean isOfCommittedEvents(OrderedAsyncOperation operation) {
        return MergedAnnotations.from(operation.method(), SearchStrategy.TYPE_HIERARCHY)
                .isPresent(TRANSACTIONAL_LISTENER);
    }

    /**
     * Warns if methods of one executor have keys of different types: an {@code int}, a {@code long} and a string are
     * never equal, whatever their values.
     */
    private static void warnIfNeverEqual(String executor, List<OrderedAsyncOperation> operations) {
        Map<String, Set<String>> methodsByType = new TreeMap<>();
        for (OrderedAsyncOperation operation : operations) {
            for (Class<?> type : operation.submitter().keyTypes()) {
                if (Number.class.isAssignableFrom(type) || CharSequence.class.isAssignableFrom(type)) {
                    methodsByType
                            .computeIfAbsent(ClassUtils.getShortName(type), name -> new TreeSet<>())
                            .add(shortOf(operation.method()));
                }
            }
        }
        if (methodsByType.size() > 1) {
            Set<String> types = new LinkedHashSet<>();
            methodsByType.forEach((type, methods) -> types.add(type + " of " + String.join(" and ", methods)));
            logger.warn("Methods of the ordered executor '" + executor + "' have keys of types that are never equal: "
                    + String.join(", ", types)
                    + ". 42 as an Integer, as a Long and as a String are three keys, so these"
                    + " calls do not wait for each other. Use one type for one thing; or tell things apart by"
                    + " space = \"...\" of the annotation.");
        }
    }

    private static String shortOf(Method method) {
        return ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName()
                + List.of(method.getParameterTypes()).stream()
                        .map(ClassUtils::getShortName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
