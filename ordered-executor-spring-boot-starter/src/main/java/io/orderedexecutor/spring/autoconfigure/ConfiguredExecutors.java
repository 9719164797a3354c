package io.orderedexecutor.spring.autoconfigure;

import java.util.Map;
import java.util.Set;

/**
 * The executors that are configured, with valid settings.
 *
 * @param ofDefault the settings of the default executor
 * @param named the settings of each further executor, by kind and name
 */
record ConfiguredExecutors(Settings ofDefault, Map<ExecutorSection, Map<String, Settings>> named) {

    Set<String> names(ExecutorSection section) {
        return named.getOrDefault(section, Map.of()).keySet();
    }

    /** Returns the settings of a further executor. */
    Settings settingsOf(ExecutorSection section, String name) {
        return named.getOrDefault(section, Map.of()).getOrDefault(name, Settings.NONE);
    }
}
