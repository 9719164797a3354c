package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ClassUtils;

/** Which properties exist and which values they take, for checks and for their messages. */
final class PropertyReference {
    private static final String KAFKA = "kafka";
    private static final boolean KAFKA_IS_PRESENT =
            ClassUtils.isPresent("io.orderedexecutor.kafka.OrderedByKey", PropertyReference.class.getClassLoader());

    /** The properties that are not settings of an executor. */
    static final List<String> GENERAL = List.of(
            "enabled",
            "metrics.task-timers",
            "observations.enabled",
            "transactions.unknown-outcome",
            "collect.max-batch",
            "collect.linger",
            "collect.linger-limit");

    private static final List<String> ALL = Stream.of(
                    GENERAL.stream(),
                    Stream.of("defaults.*"),
                    Stream.of(ExecutorSection.values()).map(section -> section + ".<name>.*"))
            .flatMap(Function.identity())
            .toList();

    private static final Value FLAG = new Value("true or false.", value -> true);
    private static final Value CAPACITY = capacity("no limit");

    private static final Map<String, Value> VALUES = Map.ofEntries(
            Map.entry("enabled", FLAG),
            Map.entry("metrics.task-timers", FLAG),
            Map.entry("observations.enabled", FLAG),
            Map.entry("transactions.unknown-outcome", new Value("skip or run. Remove it for skip.", value -> true)),
            Map.entry(
                    "collect.max-batch",
                    new Value(
                            "from 1 to 1,000,000. Remove it for 100.",
                            value -> (int) value >= 1 && (int) value <= 1_000_000)),
            Map.entry(
                    "collect.linger",
                    new Value(
                            "a duration such as 20ms, and not negative. Remove it for none.",
                            value -> !((Duration) value).isNegative())),
            Map.entry(
                    "collect.linger-limit",
                    new Value(
                            "a duration of more than zero such as 200ms. Remove it for ten times the linger.",
                            value -> ((Duration) value).compareTo(Duration.ZERO) > 0)),
            Map.entry("threads", number("at least 1. Remove it for as many threads as processors.")),
            Map.entry(
                    "executor",
                    new Value(
                            "the name of a java.util.concurrent.Executor bean. Remove it for own threads.",
                            value -> !((String) value).isBlank())),
            Map.entry("turn.tasks", number("at least 1. Remove it for 64.")),
            Map.entry(
                    "turn.time",
                    new Value(
                            "a duration of more than zero such as 500us, 1ms or 2s. Remove it for 1ms.",
                            value -> ((Duration) value).compareTo(Duration.ZERO) > 0)),
            Map.entry("capacity", CAPACITY),
            Map.entry("stripe-capacity", CAPACITY),
            Map.entry("group-capacity", CAPACITY),
            Map.entry("overflow", new Value("reject, block or discard-oldest.", value -> true)),
            Map.entry("overflow-timeout", duration("5s.")),
            Map.entry(
                    "warn-after",
                    new Value(
                            "a duration of at least zero such as 30s. Set it to 0 for no warnings.",
                            value -> !((Duration) value).isNegative())),
            Map.entry("failure-policy", new Value("proceed or park. Remove it for proceed.", value -> true)),
            Map.entry(
                    "retry.attempts",
                    number("at least 1, since it includes the first attempt. Remove it for no retries.")),
            Map.entry("retry.backoff", duration("100ms. Remove it for 100ms.")),
            Map.entry("retry.ceiling", duration("1m. Remove it for 1m.")),
            Map.entry("identity-stripes", FLAG),
            Map.entry(
                    "reservation-lease",
                    new Value(
                            "a duration of more than zero such as 30s. Remove it for no limit.",
                            value -> ((Duration) value).compareTo(Duration.ZERO) > 0)),
            Map.entry("window", capacity(String.valueOf(Settings.DEFAULT_WINDOW))),
            Map.entry("concurrency", CAPACITY));

    private PropertyReference() {}

    /** Whether a value that could be bound is in the range of its setting. */
    static boolean isInRange(ConfigurationPropertyName name, Object value) {
        Value expected = VALUES.get(Scope.of(name).settingIn(name));
        return expected == null || expected.range.test(value);
    }

    /** Says what the value of a property has to be. */
    static String expectationOf(ConfigurationPropertyName name) {
        Scope scope = Scope.of(name);
        String setting = scope.settingIn(name);
        Value value = VALUES.get(setting);
        if (value != null) {
            return "It must be " + value.expectation;
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

    /** Says what could be meant by a property that does not exist. */
    static String reasonOfUnknown(ConfigurationPropertyName name) {
        if (isOfKafka(name)) {
            return "It needs a module that is not on the class path. Add the dependency"
                    + " io.orderedexecutor:ordered-executor-kafka.";
        }
        Scope scope = Scope.of(name);
        String setting = scope.settingIn(name);
        String meant = scope.settings.stream()
                .min(Comparator.comparingInt(each -> distance(setting, each)))
                .filter(closest -> distance(setting, closest) <= 2)
                .map(closest -> "Did you mean '" + closest + "'? ")
                .orElse("");
        return "There is no such property. " + meant + scope.listed() + " Correct the name, or remove the property.";
    }

    /** Whether the module for Kafka is present and checks a property itself. */
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

    /** The number of letters to insert, remove or replace to make one of the other. */
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

    /** What the value of a setting has to be: in words, and for one that has the right type. */
    private record Value(String expectation, Predicate<Object> range) {}

    /**
     * A group of properties.
     *
     * @param section that of a named executor, or null
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
            return start.equals(ConfigurationPropertyName.of(OrderedExecutorProperties.DEFAULTS))
                    ? new Scope(null, 2, "The settings of an executor", ExecutorSection.settingsOfDefaults())
                    : new Scope(null, 1, "The properties under " + OrderedExecutorProperties.PREFIX, ALL);
        }

        /** The name after the prefix; empty if there is none. */
        String settingIn(ConfigurationPropertyName name) {
            return name.getNumberOfElements() <= prefix
                    ? ""
                    : name.subName(prefix).toString();
        }

        String listed() {
            return title + " are " + listOf(settings, "and") + ".";
        }
    }
}
