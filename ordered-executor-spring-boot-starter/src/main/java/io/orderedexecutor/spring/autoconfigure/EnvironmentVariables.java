package io.orderedexecutor.spring.autoconfigure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The properties that environment variables set. Spring Boot takes each underscore for a dot and so reads
 * {@code ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY} as {@code striped.orders.key.capacity}, which does not exist.
 * This class knows all settings, and the executors that other sources configure, so it can also read an underscore as a
 * dash.
 */
final class EnvironmentVariables {
    private static final Pattern OURS = Pattern.compile("ordered_?executor_(?<rest>.+)");

    /** Matches what Kubernetes sets for a service whose name begins with our prefix. A setting comes before it. */
    private static final Pattern OF_KUBERNETES = Pattern.compile("(?!(striped|grouped|ordered_?output)_)"
            + "(.+_)?(service_(host|port(_.+)?)|port(_\\d+_(tcp|udp|sctp).*)?)");

    /** Matches variables for an element of a list, such as {@code ORDEREDEXECUTOR_STRIPED_ORDERS_RETRY_EXCLUDES_0}. */
    private static final Pattern ELEMENT = Pattern.compile("(?<list>.+_(in|ex)cludes)_(?<index>\\d+)");

    /** The properties that exist, each with the pattern of the variables that set it. */
    private final Map<String, Pattern> known = new LinkedHashMap<>();

    private final List<ConfigurationPropertySource> sources = new ArrayList<>();
    private final List<InvalidConfigurationPropertyValueException> failures = new ArrayList<>();

    /** Reads the variables of an environment. */
    EnvironmentVariables(Environment environment) {
        PropertyReference.GENERAL.forEach(this::addKnown);
        addKnown(ExecutorSection.ORDERED_OUTPUT, ExecutorSection.ORDERED_OUTPUT.nameOfDefault());
        Iterable<ConfigurationPropertySource> all = ConfigurationPropertySources.get(environment);
        all.forEach(source -> {
            if (source instanceof IterableConfigurationPropertySource others && !hasVariables(source)) {
                addKnown(others);
            }
        });
        all.forEach(source -> {
            if (source instanceof IterableConfigurationPropertySource variables && hasVariables(source)) {
                understand(variables);
            } else {
                sources.add(source);
            }
        });
    }

    /** Returns all sources of the environment, with variables replaced by the properties that they mean. */
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

    private static boolean hasVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private void addKnown(String property) {
        known.put(OrderedExecutorProperties.PREFIX + "." + property, patternOf(property));
    }

    private void addKnown(ExecutorSection section, String name) {
        for (String setting : section.settings()) {
            known.put(section.prefixOf(name) + "." + setting, patternOf(section + "." + name + "." + setting));
        }
    }

    private void addKnown(IterableConfigurationPropertySource source) {
        for (ExecutorSection section : ExecutorSection.values()) {
            source.stream()
                    .filter(section.prefix()::isAncestorOf)
                    .map(name -> name.getElement(2, Form.ORIGINAL))
                    .distinct()
                    .forEach(name -> addKnown(section, name));
        }
    }

    private void understand(IterableConfigurationPropertySource variables) {
        Map<ConfigurationPropertyName, ConfigurationPropertyName> meant = new LinkedHashMap<>();
        // of two spellings of one property, the one without superfluous underscores counts
        variables.stream()
                .sorted(Comparator.comparingInt(ConfigurationPropertyName::getNumberOfElements))
                .forEach(read -> {
                    Matcher ours = OURS.matcher(IntStream.range(0, read.getNumberOfElements())
                            .mapToObj(i -> read.getElement(i, Form.UNIFORM))
                            .collect(Collectors.joining("_")));
                    if (ours.matches()) {
                        propertyOf(ours.group("rest"), variables.getConfigurationProperty(read))
                                .ifPresent(name -> meant.putIfAbsent(ConfigurationPropertyName.adapt(name, '.'), read));
                    }
                });
        sources.add(new Meant(variables, meant));
    }

    private Optional<String> propertyOf(String rest, @Nullable ConfigurationProperty variable) {
        Matcher element = ELEMENT.matcher(rest);
        return element.matches()
                ? meaningOf(element.group("list"), variable).map(list -> list + "[" + element.group("index") + "]")
                : meaningOf(rest, variable);
    }

    /** Returns the property that a variable sets; empty if it sets none, or may set several. */
    private Optional<String> meaningOf(String rest, @Nullable ConfigurationProperty variable) {
        ConfigurationPropertyName asReadByBoot =
                ConfigurationPropertyName.adapt(OrderedExecutorProperties.PREFIX + "_" + rest, '_');
        if (variable == null || PropertyReference.isOfOtherModule(asReadByBoot)) {
            return Optional.empty();
        }
        List<NamedSetting> named = NamedSetting.allIn(rest);
        List<String> meanings = known.entrySet().stream()
                .filter(property -> property.getValue().matcher(rest).matches())
                .map(Map.Entry::getKey)
                .toList();
        if (meanings.isEmpty()) {
            meanings = named.stream()
                    .filter(setting -> !setting.name.contains("_"))
                    .map(setting -> setting.section.prefixOf(setting.name) + "." + setting.setting)
                    .toList();
        }
        if (meanings.size() == 1) {
            return Optional.of(meanings.get(0));
        }
        if (meanings.isEmpty() && OF_KUBERNETES.matcher(rest).matches()) {
            return Optional.empty();
        }
        String reason = named.isEmpty()
                ? PropertyReference.reasonOfUnknown(asReadByBoot)
                : named.get(0).reasonOfUnknown();
        failures.add(PropertyFailures.invalid(
                variable,
                meanings.isEmpty()
                        ? reason
                        : "It can mean " + PropertyReference.listOf(meanings, "or") + ". " + fixOf(meanings)));
        return Optional.empty();
    }

    /** Returns a sentence on how to correct a variable that has several meanings. */
    private static String fixOf(List<String> meanings) {
        boolean areOneToBoot = meanings.stream()
                        .map(name -> ConfigurationPropertyName.adapt(name, '.'))
                        .distinct()
                        .count()
                == 1;
        return areOneToBoot
                ? "Rename one of the executors, so that the names differ in more than dashes and case."
                : "Write names and settings without underscores.";
    }

    /**
     * Returns the pattern of the variables for a property: an underscore for each dot, and an underscore or nothing for
     * a dash.
     */
    private static Pattern patternOf(String property) {
        String quoted = Pattern.quote(property.toLowerCase(Locale.ROOT));
        return Pattern.compile(quoted.replace("-", "\\E_?\\Q").replace(".", "\\E_\\Q"));
    }

    /**
     * A source of the properties that variables mean. The map contains the name under which Spring Boot reads each of
     * these properties.
     */
    private record Meant(
            IterableConfigurationPropertySource variables,
            Map<ConfigurationPropertyName, ConfigurationPropertyName> names)
            implements IterableConfigurationPropertySource {

        @Override
        public Stream<ConfigurationPropertyName> stream() {
            return names.keySet().stream();
        }

        @Override
        public @Nullable ConfigurationProperty getConfigurationProperty(@Nullable ConfigurationPropertyName name) {
            ConfigurationPropertyName read = names.get(name);
            return read == null ? null : variables.getConfigurationProperty(read);
        }

        @Override
        public @Nullable Object getUnderlyingSource() {
            return variables.getUnderlyingSource();
        }
    }

    /** A setting of an executor that only an environment variable names. */
    private record NamedSetting(ExecutorSection section, String name, String setting) {

        static List<NamedSetting> allIn(String variable) {
            List<NamedSetting> all = new ArrayList<>();
            for (ExecutorSection section : ExecutorSection.values()) {
                for (String setting : section.settings()) {
                    Matcher matcher = Pattern.compile(patternOf(section + ".") + "(.+)" + patternOf("." + setting))
                            .matcher(variable);
                    if (matcher.matches()) {
                        all.add(new NamedSetting(section, matcher.group(1), setting));
                    }
                }
            }
            return all;
        }

        String reasonOfUnknown() {
            return "There is no " + section + " executor that '" + name.toUpperCase(Locale.ROOT) + "' can stand for."
                    + " Configure it under another name than by variables alone, as in '"
                    + section.prefixOf(name.replace('_', '-')) + "', or write its name without underscores.";
        }
    }
}
