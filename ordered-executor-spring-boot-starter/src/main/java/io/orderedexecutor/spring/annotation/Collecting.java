package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * How the calls of a method are collected.
 *
 * @param method the method
 * @param listAt the position of its list parameter
 * @param returnsParts whether it returns a result for each element
 * @param maxBatch the maximum number of elements of one call
 * @param linger how long a call waits for further calls
 */
record Collecting(Method method, int listAt, boolean returnsParts, int maxBatch, Duration linger) {
    private static final Log logger = LogFactory.getLog(Collecting.class);
    private static final int LARGEST_BATCH = 1_000_000;

    /** Reads the attributes, and refuses a method whose calls cannot be joined. */
    static Collecting of(OrderedAsync annotation, Method method, String where, ConfigurableBeanFactory beanFactory) {
        int listAt = positionOfList(method, where);
        warnIfNeverEqual(method, listAt, where);
        boolean returnsParts = returnsParts(method, where);
        AttributeValues values = new AttributeValues(beanFactory, where);
        return new Collecting(
                method,
                listAt,
                returnsParts,
                annotation.maxBatch().isEmpty() ? 100 : values.number("maxBatch", annotation.maxBatch(), LARGEST_BATCH),
                annotation.linger().isEmpty() ? Duration.ZERO : values.duration("linger", annotation.linger()));
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

    /** Warns of a parameter without {@code equals}: calls are joined only if their other arguments are equal. */
    private static void warnIfNeverEqual(Method method, int listAt, String where) {
        for (int i = 0; i < method.getParameterCount(); i++) {
            Class<?> type = method.getParameterTypes()[i];
            if (i != listAt && ExpressionTypes.isWithoutEquals(type)) {
                logger.warn(where + " has whenBusy = COLLECT and the parameter "
                        + method.getParameters()[i].getName() + ", which is "
                        + (type.isArray() ? "an array" : "a " + type.getTypeName() + ", a class without equals")
                        + ": its instances are equal only to themselves, so only calls with the very same instance are"
                        + " joined. Use a value with equals, such as an id, a string or a list.");
            }
        }
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
                        + method.getGenericReturnType().getTypeName() + ", which cannot be divided among its callers",
                "Return void, CompletableFuture<Void>, or CompletableFuture<List<R>> with one result for each element"
                        + " of the list, in the same order.");
    }

    /**
     * Returns the arguments of a call with a copy of the list, which the caller may change later.
     *
     * @throws IllegalArgumentException if the list is null, empty or too long
     */
    @Nullable
    Object[] withCopiedList(@Nullable Object[] arguments) {
        List<?> ofCaller = (List<?>) arguments[listAt];
        List<?> list = ofCaller == null ? null : Collections.unmodifiableList(new ArrayList<>(ofCaller));
        if (list == null || list.isEmpty()) {
            throw new IllegalArgumentException(
                    "the list of " + describe(method) + " is " + (list == null ? "null" : "empty")
                            + ", but a call that is collected must have at least one element");
        }
        if (list.size() > maxBatch) {
            throw new IllegalArgumentException("the list of " + describe(method) + " has " + list.size()
                    + " elements, but maxBatch is " + maxBatch + ", and the list of a caller is never split");
        }
        @Nullable Object[] copied = arguments.clone();
        copied[listAt] = list;
        return copied;
    }
}
