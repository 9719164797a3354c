package io.orderedexecutor.spring.autoconfigure;

import java.util.Map;
import java.util.Set;

/**
 * The executors that are configured by name, with valid settings.
 *
 * @param defaults the settings of those that do not have their own
 * @param own the settings of each, by kind and name, as far as it has its own
 */
record ConfiguredExecutors(Settings defaults, Map<ExecutorSection, Map<String, Settings>> own) {

    Set<String> names(ExecutorSection section) {
        return ofSection(section).keySet();
    }

    /** The settings of an executor: its own and, where it has none, the defaults. */
    Settings settingsOf(ExecutorSection section, String name) {
        Settings settings = ofSection(section).get(name);
        return settings == null ? defaults : settings.orElse(defaults);
    }

    /** Where the executor property is that counts for an executor. */
    String propertyOfExecutor(ExecutorSection section, String name) {
        Settings settings = ofSection(section).get(name);
        boolean isOwn = settings != null && settings.executor() != null;
        return (isOwn ? section.prefixOf(name) : OrderedExecutorProperties.DEFAULTS) + ".executor";
    }

    private Map<String, Settings> ofSection(ExecutorSection section) {
        return own.getOrDefault(section, Map.of());
    }
}
