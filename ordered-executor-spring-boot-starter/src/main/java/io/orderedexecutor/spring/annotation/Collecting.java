package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ResolvableType;

/**
 * How the calls of a method are collected.
 *
 * @param method the method
 * @param listAt the position of its list
 * @param returnsParts whether it returns a result for each element
 * @param maxBatch the most elements of one call
 * @param linger how long a call waits for more
 * @param lingerLimit the most that it waits; null for a multiple of that
 */
record Collecting(
        Method method,
        int listAt,
        boolean returnsParts,
        int maxBatch,
        Duration linger,
        @Nullable Duration lingerLimit) {
    private static final int LARGEST_BATCH = 1_000_000;
    private static final String PROPERTIES = "ordered-executor.collect.";

    /** Reads the attributes, and refuses a method whose calls cannot be joined. */
    static Collecting of(OrderedAsync annotation, Method method, String where, ConfigurableBeanFactory beanFactory) {
        int listAt = positionOfList(method, where);
        boolean returnsParts = returnsParts(method, where);
        Values values = new Values(beanFactory, where);
        int maxBatch = values.maxBatch(annotation.maxBatch());
        Duration linger = values.duration("linger", annotation.linger(), "linger");
        Duration limit = values.duration("linger-limit", "", "linger-limit");
        if (limit.isZero() || linger.isZero()) {
            return new Collecting(method, listAt, returnsParts, maxBatch, linger, null);
        }
        if (limit.compareTo(linger) < 0) {
            throw new InvalidOrderedAsyncException(
                    where + " has a linger of " + linger + ", but " + PROPERTIES + "linger-limit is " + limit,
                    "Set a shorter linger, or raise " + PROPERTIES + "linger-limit.");
        }
        return new Collecting(method, listAt, returnsParts, maxBatch, linger, limit);
    }

    private static int positionOfList(Method method, String where) {
        List<Integer> lists = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (method.getParameterTypes()[i] == List.class) {
                lists.add(i);
            }
        }
        if (lists.size() != 1) {
            throw new InvalidOrderedAsyncException(
                    where + " has whenBusy = COLLECT, but " + (lists.isEmpty() ? "no" : lists.size())
                            + (lists.size() > 1 ? " parameters" : " parameter") + " of type java.util.List",
                    "Let it have exactly one: calls that wait become one call, whose list has the elements of all"
                            + " of them.");
        }
        return lists.get(0);
    }

    private static boolean returnsParts(Method method, String where) {
        ResolvableType type = ResolvableType.forMethodReturnType(method);
        Class<?> raw = method.getReturnType();
        Class<?> result = type.getGeneric(0).resolve();
        boolean isStage = raw == CompletableFuture.class || raw == CompletionStage.class;
        if (raw == void.class || (isStage && result == Void.class)) {
            return false;
        }
        if (isStage && result == List.class) {
            return true;
        }
        throw new InvalidOrderedAsyncException(
                where + " has whenBusy = COLLECT and returns "
                        + method.getGenericReturnType().getTypeName() + ", of which its callers cannot get their parts",
                "Return void, CompletableFuture<Void>, or CompletableFuture<List<R>> with one result for each element"
                        + " of the list, in the same order.");
    }

    /** The list of a call, or throws. */
    List<?> listOf(@Nullable Object[] arguments) {
        List<?> list = (List<?>) arguments[listAt];
        if (list == null || list.isEmpty()) {
            throw new IllegalArgumentException(
                    "the list of " + describe(method) + " is " + (list == null ? "null" : "empty")
                            + ", but a call that is collected must have at least one element");
        }
        if (list.size() > maxBatch) {
            throw new IllegalArgumentException("the list of " + describe(method) + " has " + list.size()
                    + " elements, but maxBatch is " + maxBatch + ", and the list of a caller is never split");
        }
        return list;
    }

    /** The values of attributes, or of the properties that they default to. */
    private record Values(ConfigurableBeanFactory beanFactory, String where) {

        int maxBatch(String attribute) {
            String text = value("max-batch", attribute, "100");
            try {
                int maxBatch = Integer.parseInt(text);
                if (maxBatch >= 1 && maxBatch <= LARGEST_BATCH) {
                    return maxBatch;
                }
            } catch (NumberFormatException notANumber) {
                // refused below
            }
            throw wrong("maxBatch", "max-batch", attribute, text, "a number from 1 to 1,000,000");
        }

        Duration duration(String property, String attribute, String name) {
            String text = value(property, attribute, "0ms");
            try {
                Duration duration = DurationStyle.detectAndParse(text);
                if (!duration.isNegative()) {
                    return duration;
                }
            } catch (IllegalArgumentException notADuration) {
                // refused below
            }
            throw wrong(name, property, attribute, text, "a duration such as 20ms or 1s, and not negative");
        }

        private String value(String property, String attribute, String byDefault) {
            String text = attribute.isEmpty() ? "${" + PROPERTIES + property + ":" + byDefault + "}" : attribute;
            String resolved;
            try {
                resolved = beanFactory.resolveEmbeddedValue(text);
            } catch (IllegalArgumentException unresolved) {
                resolved = text;
            }
            if (resolved == null || resolved.contains("${")) {
                return attribute.isEmpty() ? byDefault : text;
            }
            return resolved.strip();
        }

        private InvalidOrderedAsyncException wrong(
                String name, String property, String attribute, String text, String expected) {
            return attribute.isEmpty()
                    ? new InvalidOrderedAsyncException(
                            where + " takes " + PROPERTIES + property + ", which is '" + text + "'",
                            "Set it to " + expected + ".")
                    : new InvalidOrderedAsyncException(
                            where + " has " + name + " = \"" + attribute + "\""
                                    + (text.equals(attribute) ? "" : ", which is '" + text + "'"),
                            "Set it to " + expected + ".");
        }
    }
}
