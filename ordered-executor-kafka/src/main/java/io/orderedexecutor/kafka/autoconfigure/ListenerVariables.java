package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The settings that environment variables give to ordered listeners. An underscore in a variable may stand for a dot,
 * for a dash, or for part of an id. So each variable is compared with the settings that exist, and with the ids that
 * other sources configure. A variable that fits no setting is refused, since Spring Boot would ignore it.
 */
final class ListenerVariables {
    private static final Pattern OURS = Pattern.compile("ordered_?executor_kafka_(?<rest>.+)");

    /** Matches what Kubernetes sets for a service whose name begins with our prefix. A setting comes before it. */
    private static final Pattern OF_KUBERNETES =
            Pattern.compile("(?!listeners_)(.+_)?(service_(host|port(_.+)?)|port(_\\d+_(tcp|udp|sctp).*)?)");

    /** Matches variables for an element of a list, such as {@code ORDERED_EXECUTOR_KAFKA_RETRY_EXCLUDES_0}. */
    private static final Pattern ELEMENT = Pattern.compile("(?<list>.+_(in|ex)cludes)_(?<index>\\d+)_?");

    private static final ConfigurationPropertyName LISTENERS =
            ConfigurationPropertyName.of(OrderedKafkaProperties.PREFIX + ".listeners");

    /** The ids that other sources configure, each with its prefix as it is written there. */
    private final Map<String, String> ids = new TreeMap<>();

    private ListenerVariables(Iterable<ConfigurationPropertySource> sources) {
        sources.forEach(source -> {
            if (source instanceof IterableConfigurationPropertySource others && !isOfVariables(source)) {
                others.stream()
                        .filter(LISTENERS::isAncestorOf)
                        .map(name -> name.chop(LISTENERS.getNumberOfElements() + 1))
                        .forEach(name -> ids.putIfAbsent(name.getLastElement(Form.ORIGINAL), name.toString()));
            }
        });
    }

    /**
     * Returns the sources of an environment, with environment variables replaced by the properties that they mean.
     *
     * @throws InvalidOrderedListenerException if a variable means no property, or several
     */
    static List<ConfigurationPropertySource> understoodIn(Environment environment) {
        Iterable<ConfigurationPropertySource> sources = ConfigurationPropertySources.get(environment);
        ListenerVariables variables = new ListenerVariables(sources);
        List<ConfigurationPropertySource> understood = new ArrayList<>();
        for (ConfigurationPropertySource source : sources) {
            understood.add(
                    source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource system
                            ? variables.understood(system)
                            : source);
        }
        return understood;
    }

    private static boolean isOfVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private ConfigurationPropertySource understood(SystemEnvironmentPropertySource system) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String variable : new TreeSet<>(List.of(system.getPropertyNames()))) {
            Matcher ours = OURS.matcher(variable.toLowerCase(Locale.ROOT));
            Object value = system.getProperty(variable);
            if (ours.matches() && value != null) {
                String property = propertyOf(ours.group("rest"), variable);
                if (property != null) {
                    properties.put(property, value);
                }
            }
        }
        return new MapConfigurationPropertySource(properties);
    }

    /** Returns the property that a variable sets; null if it is one of Kubernetes. */
    private @Nullable String propertyOf(String rest, String variable) {
        Matcher element = ELEMENT.matcher(rest);
        return element.matches()
                ? meaningOf(element.group("list"), variable) + "[" + element.group("index") + "]"
                : meaningOf(rest, variable);
    }

    private @Nullable String meaningOf(String rest, String variable) {
        Set<String> meanings = new TreeSet<>();
        Set<String> ofNewIds = new TreeSet<>();
        for (String setting : OrderedKafkaProperties.SETTINGS) {
            if (patternOf(setting).matcher(rest).matches()) {
                meanings.add(OrderedKafkaProperties.PREFIX + "." + setting);
            }
            ids.forEach((id, written) -> {
                if (patternOf("listeners." + id + "." + setting).matcher(rest).matches()) {
                    meanings.add(written + "." + setting);
                }
            });
            Matcher ofNewId = Pattern.compile("listeners_([^_]+)" + patternOf("." + setting))
                    .matcher(rest);
            if (ofNewId.matches()) {
                ofNewIds.add(LISTENERS + "." + ofNewId.group(1) + "." + setting);
            }
        }
        Set<String> possible = meanings.isEmpty() ? ofNewIds : meanings;
        if (possible.isEmpty() && OF_KUBERNETES.matcher(rest).matches()) {
            return null;
        }
        if (possible.size() != 1) {
            throw new InvalidOrderedListenerException(
                    "The environment variable '" + variable + "' "
                            + (possible.isEmpty()
                                    ? "sets no property of an ordered listener"
                                    : "can mean " + String.join(" or ", possible)),
                    OrderedKafkaProperties.REFERENCE + " An id that is not one word in lower case has to be configured "
                            + "in a file as well, so that a variable can mean it.");
        }
        return possible.iterator().next();
    }

    /**
     * Returns the pattern of the variables for a property: an underscore for each dot, and an underscore or nothing for
     * any other character that a variable cannot contain.
     */
    private static Pattern patternOf(String property) {
        StringBuilder pattern = new StringBuilder();
        for (char each : property.toLowerCase(Locale.ROOT).toCharArray()) {
            pattern.append(
                    each == '.' ? "_" : Character.isLetterOrDigit(each) ? Pattern.quote(String.valueOf(each)) : "_?");
        }
        return Pattern.compile(pattern.toString());
    }
}
