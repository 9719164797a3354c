package io.orderedexecutor.spring.autoconfigure;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ClassUtils;

/** Which properties there are and which values they take, as messages tell it. */
final class PropertyReference {
    private static final String KAFKA = "kafka";
    private static final String CLASS_OF_KAFKA_MODULE = "io.orderedexecutor.kafka.OrderedByKey";

    private static final String FLAG = "true or false.";
    private static final String CAPACITY = "a whole number from 1 to 1000000000. Remove it for no limit.";

    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("enabled", FLAG),
            Map.entry("metrics.task-timers", FLAG),
            Map.entry("observations.enabled", FLAG),
            Map.entry("threads", "a whole number, at least 1. Remove it for as many threads as processors."),
            Map.entry("executor", "the name of a java.util.concurrent.Executor bean. Remove it for own threads."),
            Map.entry("turn.tasks", "a whole number, at least 1. Remove it for 64."),
            Map.entry("turn.time", "a duration of more than zero such as 500us, 1ms or 2s. Remove it for 1ms."),
            Map.entry("capacity", CAPACITY),
            Map.entry("stripe-capacity", CAPACITY),
            Map.entry("group-capacity", CAPACITY),
            Map.entry("overflow", "reject, block or discard-oldest."),
            Map.entry("overflow-timeout", "a duration of at least zero such as 5s."),
            Map.entry("failure-policy", "proceed or park. Remove it for proceed."),
            Map.entry(
                    "retry.attempts",
                    "a whole number, at least 1, since it includes the first attempt. Remove it for no retries."),
            Map.entry("retry.backoff", "a duration of at least zero such as 100ms. Remove it for 100ms."),
            Map.entry("retry.ceiling", "a duration of at least zero such as 1m. Remove it for 1m."),
            Map.entry("identity-stripes", FLAG),
            Map.entry("window", "a whole number from 1 to 1000000000. Remove it for " + Settings.DEFAULT_WINDOW + "."),
            Map.entry("concurrency", CAPACITY));

    private PropertyReference() {}

    /** Says what the value of a property has to be. */
    static String expectationOf(ConfigurationPropertyName name) {
        Scope scope = Scope.of(name);
        String setting = scope.settingIn(name);
        String value = VALUES.get(setting);
        if (value != null && !scope.isNameExpectedIn(name)) {
            return "It must be " + value;
        }
        if (scope.section != null && scope.isNameExpectedIn(name)) {
            String last = name.getLastElement(Form.DASHED);
            return "It must have the name of an executor: set '" + OrderedExecutorProperties.PREFIX + "."
                    + scope.section + ".<name>." + (scope.settings.contains(last) ? last : "<setting>") + "'. "
                    + scope.listed();
        }
        List<String> below = scope.settings.stream()
                .filter(each -> each.startsWith(setting + "."))
                .toList();
        return "It has no value of its own. " + (below.isEmpty() ? scope.listed() : "Set " + listOf(below, "or") + ".");
    }

    /** Says what could be meant by a property that does not exist. */
    static String reasonOfUnknown(ConfigurationPropertyName name) {
        if (isOfKafka(name)) {
            return "It needs a module that is not on the class path. Add the dependency"
                    + " io.orderedexecutor:ordered-executor-kafka.";
        }
        Scope scope = Scope.of(name);
        String meant = closest(scope.settingIn(name), scope.settings);
        return "There is no such property. " + (meant == null ? "" : "Did you mean '" + meant + "'? ") + scope.listed()
                + " Correct the name, or remove the property.";
    }

    /** Whether a property is up to the module for Kafka, which checks its own. */
    static boolean isOfOtherModule(ConfigurationPropertyName name) {
        return isOfKafka(name) && ClassUtils.isPresent(CLASS_OF_KAFKA_MODULE, PropertyReference.class.getClassLoader());
    }

    private static boolean isOfKafka(ConfigurationPropertyName name) {
        return name.getNumberOfElements() > 1
                && name.getElement(1, Form.UNIFORM).equals(KAFKA);
    }

    static String listOf(List<String> names, String and) {
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " " + and + " " + names.get(last);
    }

    /** The one that differs in at most two letters, or only in how it is spelt. */
    private static @Nullable String closest(String name, List<String> names) {
        return names.stream()
                .filter(each -> distance(name, each) <= 2)
                .min(Comparator.comparingInt(each -> distance(name, each)))
                .orElse(null);
    }

    /** How many letters have to be inserted, removed or replaced to make one of the other. */
    private static int distance(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }

    /**
     * A group of properties.
     *
     * @param section that of a named executor, or null
     * @param prefix how many elements of a name come before the setting
     */
    private record Scope(@Nullable ExecutorSection section, int prefix, String title, List<String> settings) {
        private static final Scope ALL = new Scope(
                null,
                1,
                "The properties under " + OrderedExecutorProperties.PREFIX,
                Stream.concat(
                                Stream.of("enabled", "metrics.task-timers", "observations.enabled", "defaults.*"),
                                Stream.of(ExecutorSection.values()).map(section -> section + ".<name>.*"))
                        .toList());
        private static final Scope DEFAULTS =
                new Scope(null, 2, "The settings of an executor", ExecutorSection.settingsOfDefaults());

        static Scope of(ConfigurationPropertyName name) {
            String element = name.getNumberOfElements() < 2 ? "" : name.getElement(1, Form.UNIFORM);
            if (element.equals("defaults")) {
                return DEFAULTS;
            }
            for (ExecutorSection section : ExecutorSection.values()) {
                if (element.equals(section.toString().replace("-", ""))) {
                    return new Scope(
                            section, 3, "The settings of " + section.withArticle() + " executor", section.settings());
                }
            }
            return ALL;
        }

        boolean isNameExpectedIn(ConfigurationPropertyName name) {
            return name.getNumberOfElements() <= prefix;
        }

        String settingIn(ConfigurationPropertyName name) {
            return isNameExpectedIn(name) ? "" : name.subName(prefix).toString();
        }

        String listed() {
            return title + " are " + listOf(settings, "and") + ".";
        }
    }
}
