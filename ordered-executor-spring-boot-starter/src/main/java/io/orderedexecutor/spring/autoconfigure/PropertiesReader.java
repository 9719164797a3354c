package io.orderedexecutor.spring.autoconfigure;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** Reads the properties before beans are created, and refuses wrong properties. */
final class PropertiesReader {
    private final Binder binder;
    private final PropertyFailures failures;

    private PropertiesReader(Environment environment, EnvironmentVariables variables) {
        List<ConfigurationPropertySource> sources = variables.sources().stream()
                .map(source -> source.filter(name -> !PropertyReference.isOfOtherModule(name)))
                .toList();
        this.binder = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
        this.failures = new PropertyFailures(sources);
    }

    /**
     * Reads and checks the properties.
     *
     * @throws InvalidConfigurationPropertyValueException if one is wrong
     */
    static ConfiguredExecutors read(Environment environment) {
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        variables.requireKnown();
        requireKnownOfEndpoints(environment);
        return new PropertiesReader(environment, variables).read();
    }

    /**
     * Refuses unknown properties of the endpoints in sources that only an application writes, as strict binding does.
     */
    private static void requireKnownOfEndpoints(Environment environment) {
        UnboundElementsSourceFilter isOfApplication = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && isOfApplication.apply(source)) {
                names.stream().forEach(name -> {
                    String reason = PropertyReference.reasonOfUnknownOfEndpoint(name);
                    ConfigurationProperty property = reason == null ? null : source.getConfigurationProperty(name);
                    if (property != null && reason != null) {
                        throw PropertyFailures.invalid(property, reason);
                    }
                });
            }
        }
    }

    /**
     * Reads a property that is true or false. Spring Boot's own conditions take a misspelt {@code true} for false.
     *
     * @throws InvalidConfigurationPropertyValueException if it is neither
     */
    static boolean isOn(Environment environment, String property, boolean byDefault) {
        PropertiesReader reader = new PropertiesReader(environment, new EnvironmentVariables(environment));
        try {
            return reader.binder.bind(property, Boolean.class).orElse(byDefault);
        } catch (BindException e) {
            throw reader.failures.notBound(e);
        }
    }

    private ConfiguredExecutors read() {
        OrderedExecutorProperties properties =
                bind(OrderedExecutorProperties.PREFIX, OrderedExecutorProperties.class, new StrictBinding());
        SettingsCheck check = new SettingsCheck(failures);
        Settings ofDefault = bind(OrderedExecutorProperties.PREFIX, Settings.class, null);
        check.checkKeyed(OrderedExecutorProperties.PREFIX, ofDefault);
        Map<ExecutorSection, Map<String, Settings>> named = new EnumMap<>(ExecutorSection.class);
        Map<String, ExecutorSection> sections = new HashMap<>();
        for (ExecutorSection section : ExecutorSection.values()) {
            Map<String, Settings> ofSection = new LinkedHashMap<>();
            Map<ConfigurationPropertyName, String> toBoot = new HashMap<>();
            for (String name : section.namesIn(properties)) {
                String prefix = section.prefixOf(name);
                checkName(section, name, sections.putIfAbsent(name, section));
                checkAlike(prefix, name, toBoot.putIfAbsent(ConfigurationPropertyName.adapt(prefix, '.'), name));
                Settings settings = bind(prefix, Settings.class, null);
                if (section == ExecutorSection.ORDERED_OUTPUT) {
                    check.checkOutput(prefix, settings);
                } else {
                    check.checkKeyed(prefix, settings);
                }
                ofSection.put(name, settings);
            }
            named.put(section, ofSection);
        }
        checkStripes(sections);
        return new ConfiguredExecutors(ofDefault, named);
    }

    /** Refuses executor names that are also the name of the bean for the stripes of a grouped executor. */
    private void checkStripes(Map<String, ExecutorSection> sections) {
        sections.forEach((name, section) -> {
            String stripes = ExecutorSection.nameOfStripes(name);
            ExecutorSection other = sections.get(stripes);
            if (section == ExecutorSection.GROUPED && other != null) {
                throw failures.invalid(
                        other.prefixOf(stripes),
                        "The executor name '" + stripes + "' is also the name of the stripes of the grouped executor '"
                                + name + "', '" + section.prefixOf(name)
                                + "', and both would be the bean of that name. Rename one of the two.");
            }
        });
    }

    private <T> T bind(String prefix, Class<T> type, @Nullable BindHandler handler) {
        try {
            return binder.bindOrCreate(ConfigurationPropertyName.adapt(prefix, '.'), Bindable.of(type), handler);
        } catch (BindException e) {
            throw failures.notBound(e);
        }
    }

    /**
     * Refuses names that differ only in dashes or case, which Spring Boot ignores: each executor would get the settings
     * of both.
     */
    private void checkAlike(String prefix, String name, @Nullable String other) {
        if (other != null) {
            throw failures.invalid(
                    prefix,
                    "The executor names '" + other + "' and '" + name + "' differ in dashes or case only, which"
                            + " Spring Boot ignores. Rename one of the two.");
        }
    }

    private void checkName(ExecutorSection section, String name, @Nullable ExecutorSection other) {
        String prefix = section.prefixOf(name);
        if (name.isBlank()) {
            throw failures.invalid(prefix, "The name of the executor is blank. Give it a name.");
        }
        if (ExecutorsByName.isOfDefault(name)) {
            throw failures.invalid(
                    prefix,
                    "The name '" + name + "' is that of the default executor, whose settings are directly under '"
                            + OrderedExecutorProperties.PREFIX + "', as in '" + OrderedExecutorProperties.PREFIX
                            + ".threads'. Move them there, or choose another name.");
        }
        if (other != null) {
            throw failures.invalid(
                    prefix,
                    "The executor name '" + name + "' is also the name of " + other.withArticle() + " executor, '"
                            + other.prefixOf(name) + "', and both would be the bean of that name."
                            + " Rename one of the two.");
        }
    }
}
