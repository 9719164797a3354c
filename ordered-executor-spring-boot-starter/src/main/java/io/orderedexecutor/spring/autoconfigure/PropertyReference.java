package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Knows which properties exist and which values they may have, for checks and for their messages. */
final class PropertyReference {
    private static final String KAFKA = "kafka";
    private static final boolean KAFKA_IS_PRESENT =
            ClassUtils.isPresent("io.orderedexecutor.kafka.OrderedByKey", PropertyReference.class.getClassLoader());

    /** The properties whose names contain no executor name. */
    static final List<String> GENERAL = Stream.concat(
                    Stream.of("enabled", "metrics.task-timers", "observations.enabled"),
                    ExecutorSection.GROUPED.settings().stream())
            .toList();

    private static final List<String> ALL = Stream.concat(
                    GENERAL.stream(), Stream.of(ExecutorSection.values()).map(section -> section + ".<name>.*"))
            .toList();

    /** The properties of our endpoints, including those that Spring Boot defines. */
    private static final Map<String, List<String>> ENDPOINTS = Map.of(
            "management.endpoint.orderedexecutors",
            List.of("access", "cache.time-to-live", "show-values", "roles"),
            "management.endpoint.orderedtimeline",
            List.of("access"));

    private static final Value FLAG = new Value("true or false.", value -> true);
    private static final Value CAPACITY = capacity("no limit");

    private static final Map<String, Value> VALUES = Map.ofEntries(
            Map.entry("enabled", FLAG),
            Map.entry("metrics.task-timers", FLAG),
            Map.entry("observations.enabled", FLAG),
            Map.entry("threads", number("at least 1. Remove it for as many threads as processors.")),
            Map.entry(
                    "executor",
                    new Value(
                            "the name of a java.util.concurrent.Executor bean. Remove it for own threads.",
                            value -> !((String) value).isBlank())),
            Map.entry("capacity", CAPACITY),
            Map.entry("key-capacity", CAPACITY),
            Map.entry("overflow", new Value("reject, block or discard-oldest.", value -> true)),
            Map.entry("overflow-timeout", duration("5s.")),
            Map.entry(
                    "warn-after",
                    new Value(
                            "a duration of at least zero such as 30s. Set it to 0 for no warnings.",
                            value -> !((Duration) value).isNegative())),
            Map.entry("failure-policy", new Value("proceed or park. Remove it for proceed.", value -> true)),
            Map.entry(
                    "retry.max-retries",
                    new Value("a whole number, at least 0. Remove it for no retries.", value -> (Integer) value >= 0)),
            Map.entry("retry.delay", duration("100ms. Remove it for 1s.")),
            Map.entry(
                    "retry.multiplier",
                    new Value("a number, at least 1. Remove it for 1.", value -> (Double) value >= 1)),
            Map.entry("retry.max-delay", duration("1m. Remove it for no limit.")),
            Map.entry("retry.jitter", duration("10ms. Remove it for none.")),
            Map.entry("retry.includes", exceptions("java.io.IOException")),
            Map.entry("retry.excludes", exceptions("java.lang.IllegalArgumentException")),
            Map.entry("window", capacity(String.valueOf(Settings.DEFAULT_WINDOW))),
            Map.entry("concurrency", CAPACITY));

    private PropertyReference() {}

    /** Returns whether a bound value is in the range of its setting. */
    static boolean isInRange(ConfigurationPropertyName name, Object value) {
        Value expected = VALUES.get(Scope.of(name).settingIn(name));
        return expected == null || expected.range.test(value);
    }

    /** Returns a sentence on what the value of a property must be, if this value cannot be bound. */
    static String expectationOf(ConfigurationPropertyName name, @Nullable Object value) {
        return (value instanceof String text && isOfClasses(name) ? missingClassIn(text) : "") + expectationOf(name);
    }

    private static boolean isOfClasses(ConfigurationPropertyName name) {
        String setting = Scope.of(name).settingIn(name);
        return setting.equals("retry.includes") || setting.equals("retry.excludes");
    }

    private static String missingClassIn(String names) {
        return Arrays.stream(StringUtils.commaDelimitedListToStringArray(names))
                .map(String::strip)
                .filter(name -> !name.contains("${") && !ClassUtils.isPresent(name, null))
                .findFirst()
                .map(name -> "No class '" + name + "' was found. ")
                .orElse("");
    }

    /** Returns a sentence on what the value of a property must be. */
    static String expectationOf(ConfigurationPropertyName name) {
        Scope scope = Scope.of(name);
        String setting = scope.settingIn(name);
        Value value = VALUES.get(setting);
        if (value != null) {
            return "It must be " + value.expectation
                    + (setting.equals("failure-policy")
                            ? " To retry, set '" + name.getParent().append("retry.max-retries") + "'."
                            : "");
        }
        if (scope.section != null && setting.isEmpty()) {
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

    /** Returns the reason for a property that does not exist, with a suggestion. */
    static String reasonOfUnknown(ConfigurationPropertyName name) {
        if (isOfKafka(name)) {
            return "It needs a module that is not on the class path. Add the dependency"
                    + " io.orderedexecutor:ordered-executor-kafka.";
        }
        return reasonOfUnknown(name, Scope.of(name));
    }

    private static String reasonOfUnknown(ConfigurationPropertyName name, Scope scope) {
        String setting = scope.settingIn(name);
        String meant = scope.settings.stream()
                .min(Comparator.comparingInt(each -> distance(setting, each)))
                .filter(closest -> distance(setting, closest) <= 2)
                .map(closest -> "Did you mean '" + closest + "'? ")
                .orElse("");
        return "There is no such property. " + meant + scope.listed() + " Correct the name, or remove the property.";
    }

    /**
     * Returns the reason for a property of one of our endpoints that does not exist, with a suggestion; null if the
     * property exists or belongs to no endpoint of ours. Spring Boot ignores unknown properties: with a misspelt
     * {@code access}, an endpoint would stay readable.
     */
    static @Nullable String reasonOfUnknownOfEndpoint(ConfigurationPropertyName name) {
        for (Map.Entry<String, List<String>> endpoint : ENDPOINTS.entrySet()) {
            ConfigurationPropertyName prefix = ConfigurationPropertyName.of(endpoint.getKey());
            if (prefix.isAncestorOf(name)
                    && endpoint.getValue().stream()
                            .map(prefix::append)
                            .noneMatch(known -> known.equals(name) || known.isAncestorOf(name))) {
                Scope scope = new Scope(
                        null, prefix.getNumberOfElements(), "The properties under " + prefix, endpoint.getValue());
                return reasonOfUnknown(name, scope);
            }
        }
        return null;
    }

    /** Returns whether the module for Kafka is present. If it is, it checks this property itself. */
    static boolean isOfOtherModule(ConfigurationPropertyName name) {
        return KAFKA_IS_PRESENT && isOfKafka(name);
    }

    private static boolean isOfKafka(ConfigurationPropertyName name) {
        return name.getNumberOfElements() > 1
                && name.getElement(1, Form.UNIFORM).equals(KAFKA);
    }

    static String listOf(List<String> names, String and) {
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " " + and + " " + names.get(last);
    }

    /** Returns the number of letters to insert, remove or replace to turn one text into the other. */
    private static int distance(String from, String to) {
        int[] row = IntStream.rangeClosed(0, to.length()).toArray();
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(diagonal, row[j - 1]));
            }
        }
        return row[to.length()];
    }

    private static Value number(String range) {
        return new Value("a whole number, " + range, value -> (Integer) value >= 1);
    }

    private static Value capacity(String byDefault) {
        return new Value(
                "a whole number from 1 to 1000000000. Remove it for " + byDefault + ".",
                value -> (Integer) value >= 1 && (Integer) value <= 1_000_000_000);
    }

    private static Value duration(String example) {
        return new Value("a duration of at least zero such as " + example, value -> !((Duration) value).isNegative());
    }

    private static Value exceptions(String example) {
        return new Value(
                "the names of exception classes, such as " + example + ".",
                // the value is one class, or the whole list; the binder accepts any class
                value -> !(value instanceof Class<?> type) || Throwable.class.isAssignableFrom(type));
    }

    /** The valid values of a setting: in words, and as a predicate on values of the right type. */
    private record Value(String expectation, Predicate<Object> range) {}

    /**
     * A group of properties.
     *
     * @param section the section, if the group belongs to a named executor; otherwise null
     * @param prefix how many elements of a name come before the setting
     */
    private record Scope(@Nullable ExecutorSection section, int prefix, String title, List<String> settings) {

        static Scope of(ConfigurationPropertyName name) {
            ConfigurationPropertyName start = name.chop(2);
            for (ExecutorSection section : ExecutorSection.values()) {
                if (section.prefix().equals(start)) {
                    return new Scope(
                            section, 3, "The settings of " + section.withArticle() + " executor", section.settings());
                }
            }
            return new Scope(null, 1, "The properties under " + OrderedExecutorProperties.PREFIX, ALL);
        }

        /** The name after the prefix, without the index of a list; empty if there is none. */
        String settingIn(ConfigurationPropertyName name) {
            ConfigurationPropertyName property = name.isLastElementIndexed() ? name.getParent() : name;
            return property.getNumberOfElements() <= prefix
                    ? ""
                    : property.subName(prefix).toString();
        }

        String listed() {
            return title + " are " + listOf(settings, "and") + ".";
        }
    }
}
