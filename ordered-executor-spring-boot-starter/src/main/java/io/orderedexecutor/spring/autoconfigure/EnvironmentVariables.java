package io.orderedexecutor.spring.autoconfigure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.env.PropertySourceInfo;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The properties that environment variables set. Spring Boot takes each underscore for a dot and so reads
 * {@code ORDEREDEXECUTOR_STRIPED_ORDERS_STRIPE_CAPACITY} as {@code striped.orders.stripe.capacity}, which does not
 * exist. As all settings are known, and the executors that other sources configure, an underscore can be a dash, too.
 */
final class EnvironmentVariables {
    private static final Pattern PREFIX = Pattern.compile("ORDERED_?EXECUTOR_");

    /** What Kubernetes sets for a service of this name. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("SERVICE_(HOST|PORT(_.+)?)|PORT(_\\d+_(TCP|UDP|SCTP).*)?");

    private static final List<String> FIXED = Stream.concat(
                    Stream.of("enabled", "metrics.task-timers", "observations.enabled"),
                    ExecutorSection.settingsOfDefaults().stream().map(setting -> "defaults." + setting))
            .toList();

    private final Map<ExecutorSection, Set<String>> knownNames = new EnumMap<>(ExecutorSection.class);
    private final List<ConfigurationPropertySource> sources = new ArrayList<>();
    private final List<InvalidConfigurationPropertyValueException> failures = new ArrayList<>();

    /** Reads the variables of an environment. */
    EnvironmentVariables(Environment environment) {
        Iterable<ConfigurationPropertySource> all = ConfigurationPropertySources.get(environment);
        all.forEach(this::addKnownNames);
        for (ConfigurationPropertySource source : all) {
            if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
                ConfigurationPropertySources.from(
                                new OriginTrackedMapPropertySource(variables.getName(), propertiesOf(variables), true))
                        .forEach(sources::add);
            } else {
                sources.add(source);
            }
        }
    }

    /** All sources of the environment, in which variables are the properties that they mean. */
    List<ConfigurationPropertySource> sources() {
        return sources;
    }

    /**
     * Refuses variables that have our prefix and set no property.
     *
     * @throws InvalidConfigurationPropertyValueException if there is one
     */
    void requireKnown() {
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private Map<String, Object> propertiesOf(SystemEnvironmentPropertySource source) {
        Map<String, Object> properties = new LinkedHashMap<>();
        String prefix = prefixOf(source);
        Stream.of(source.getPropertyNames())
                // of two spellings of one property, the one without superfluous underscores counts
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .forEach(variable -> {
                    String upper = variable.toUpperCase(Locale.ROOT);
                    Object value = source.getProperty(variable);
                    String property = upper.startsWith(prefix) && value != null
                            ? propertyOf(variable, upper.substring(prefix.length()), value)
                            : null;
                    if (property != null) {
                        properties.putIfAbsent(
                                property, OriginTrackedValue.of(value, new SystemEnvironmentOrigin(variable)));
                    }
                });
        return properties;
    }

    /** The prefix that an application may demand of all variables. */
    private static String prefixOf(SystemEnvironmentPropertySource source) {
        String prefix = source instanceof PropertySourceInfo info ? info.getPrefix() : null;
        return prefix == null
                ? ""
                : prefix.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_') + "_";
    }

    /** The executors that are there whatever variables say. */
    private Set<String> knownNames(ExecutorSection section) {
        return knownNames.computeIfAbsent(section, each -> new TreeSet<>(Set.of(each.nameOfDefault())));
    }

    private void addKnownNames(ConfigurationPropertySource source) {
        if (source instanceof IterableConfigurationPropertySource iterable
                && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
            iterable.stream().filter(name -> name.getNumberOfElements() > 2).forEach(name -> {
                for (ExecutorSection section : ExecutorSection.values()) {
                    if (ConfigurationPropertyName.of(OrderedExecutorProperties.PREFIX + "." + section)
                            .isAncestorOf(name)) {
                        knownNames(section).add(name.getElement(2, Form.ORIGINAL));
                    }
                }
            });
        }
    }

    /** The property that a variable sets; null if it is none of ours, or one that is not valid. */
    private @Nullable String propertyOf(String variable, String upper, Object value) {
        Matcher prefix = PREFIX.matcher(upper);
        if (!prefix.lookingAt()) {
            return null;
        }
        String rest = upper.substring(prefix.end());
        if (SERVICE_LINK.matcher(rest).matches() || PropertyReference.isOfOtherModule(asReadByBoot(rest))) {
            return null;
        }
        Set<String> meanings = meaningsOf(rest);
        if (meanings.size() == 1) {
            return meanings.iterator().next();
        }
        failures.add(new InvalidConfigurationPropertyValueException(
                variable, value, meanings.isEmpty() ? reasonOfUnknown(rest) : reasonOfAmbiguous(meanings)));
        return null;
    }

    private Set<String> meaningsOf(String rest) {
        Set<String> meanings = new LinkedHashSet<>();
        FIXED.stream()
                .filter(property -> rest.matches(variableOf(property)))
                .forEach(property -> meanings.add(OrderedExecutorProperties.PREFIX + "." + property));
        Set<String> ofNewNames = new LinkedHashSet<>();
        for (ExecutorSection section : ExecutorSection.values()) {
            for (String setting : section.settings()) {
                String written = nameIn(rest, section, setting);
                if (written != null) {
                    String known = knownNames(section).stream()
                            .filter(name -> written.matches(variableOf(name)))
                            .findFirst()
                            .orElse(null);
                    if (known != null) {
                        meanings.add(section.prefixOf(known) + "." + setting);
                    } else if (!written.contains("_")) {
                        ofNewNames.add(section.prefixOf(written.toLowerCase(Locale.ROOT)) + "." + setting);
                    }
                }
            }
        }
        return meanings.isEmpty() ? ofNewNames : meanings;
    }

    private static @Nullable String nameIn(String rest, ExecutorSection section, String setting) {
        Matcher matcher = Pattern.compile(variableOf(section.toString()) + "_(?<name>.+)_" + variableOf(setting))
                .matcher(rest);
        return matcher.matches() ? matcher.group("name") : null;
    }

    /**
     * How a variable may write part of a property: with underscores instead of dots, and instead of dashes or without.
     */
    private static String variableOf(String part) {
        return Stream.of(part.split("(?=[-.])|(?<=[-.])", -1))
                .map(token -> switch (token) {
                    case "-" -> "_?";
                    case "." -> "_";
                    default -> Pattern.quote(token.toUpperCase(Locale.ROOT));
                })
                .reduce("", String::concat);
    }

    private static ConfigurationPropertyName asReadByBoot(String rest) {
        return ConfigurationPropertyName.adapt(
                OrderedExecutorProperties.PREFIX + "_" + rest.toLowerCase(Locale.ROOT), '_');
    }

    private static String reasonOfUnknown(String rest) {
        for (ExecutorSection section : ExecutorSection.values()) {
            for (String setting : section.settings()) {
                String name = nameIn(rest, section, setting);
                if (name != null) {
                    return "There is no " + section + " executor that '" + name + "' can stand for. Configure it under"
                            + " another name than by variables alone, as in 'ordered-executor." + section + "."
                            + name.toLowerCase(Locale.ROOT).replace('_', '-')
                            + "', or write its name without underscores.";
                }
            }
        }
        return PropertyReference.reasonOfUnknown(asReadByBoot(rest));
    }

    private static String reasonOfAmbiguous(Set<String> meanings) {
        return "It can mean " + PropertyReference.listOf(List.copyOf(meanings), "or")
                + ". Write names and settings without underscores.";
    }
}
