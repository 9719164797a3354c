package io.orderedexecutor.spring.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the endpoint lists, for tests of other packages: its answers are not public. */
public final class ShownTypes {

    private ShownTypes() {}

    /** The type of each executor, by name, in the order of the list. */
    public static Map<String, String> of(OrderedExecutorsEndpoint endpoint) {
        Map<String, String> types = new LinkedHashMap<>();
        endpoint.executors().executors().forEach((name, summary) -> types.put(name, summary.type()));
        return types;
    }
}
