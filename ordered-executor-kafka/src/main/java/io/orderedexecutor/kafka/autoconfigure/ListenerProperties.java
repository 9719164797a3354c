package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import io.orderedexecutor.kafka.autoconfigure.OrderedKafkaProperties.Listener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.Environment;
import org.springframework.core.log.LogAccessor;

/** Finds the settings of a listener, and refuses settings that are wrong or that no listener has. */
final class ListenerProperties {
    private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(ListenerProperties.class));

    private static final ConfigurationPropertyName ENDPOINT =
            ConfigurationPropertyName.of("management.endpoint.orderedkafka");
    private static final List<String> OF_ENDPOINT = List.of("access", "show-values", "roles");

    private final OrderedKafkaProperties properties;

    /** How long Spring waits for the containers at a shutdown. */
    private final Duration shutdownTimeout;

    /** The ids of the ordered listeners: all ids whose properties were requested. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    ListenerProperties(Environment environment) {
        requireKnownOfEndpoint(environment);
        this.properties = read(environment);
        this.shutdownTimeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(Duration.ofSeconds(30));
        settings(properties.ofAll(), OrderedKafkaProperties.PREFIX);
        properties.listeners().keySet().forEach(id -> settings(properties.of(id), prefixOf(id)));
    }

    /**
     * Refuses unknown properties of the endpoint in sources that only an application writes, as strict binding does.
     * Spring Boot ignores unknown properties: with a misspelt {@code access}, the endpoint would stay readable.
     */
    private static void requireKnownOfEndpoint(Environment environment) {
        UnboundElementsSourceFilter isOfApplication = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && isOfApplication.apply(source)) {
                names.stream()
                        .filter(ListenerProperties::isUnknownOfEndpoint)
                        .findFirst()
                        .ifPresent(name -> {
                            throw new InvalidOrderedListenerException(
                                    "The property '" + name + "' is unknown",
                                    "Under " + ENDPOINT + " there are " + String.join(", ", OF_ENDPOINT)
                                            + ". Correct the name, or remove the property.");
                        });
            }
        }
    }

    private static boolean isUnknownOfEndpoint(ConfigurationPropertyName name) {
        return ENDPOINT.isAncestorOf(name)
                && OF_ENDPOINT.stream()
                        .map(ENDPOINT::append)
                        .noneMatch(known -> known.equals(name) || known.isAncestorOf(name));
    }

    private static OrderedKafkaProperties read(Environment environment) {
        try {
            return new Binder(
                            ListenerVariables.understoodIn(environment),
                            new PropertySourcesPlaceholdersResolver(environment))
                    .bindOrCreate(
                            OrderedKafkaProperties.PREFIX,
                            Bindable.of(OrderedKafkaProperties.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                    ConfigurationPropertyName name =
                            unbound.getUnboundProperties().iterator().next().getName();
                    throw new InvalidOrderedListenerException(
                            "The property '" + name + "' is unknown",
                            OrderedKafkaProperties.REFERENCE
                                    + " An id with a dot needs brackets, as in listeners.[orders.eu].",
                            e);
                }
            }
            throw new InvalidOrderedListenerException(
                    "The property '" + e.getName() + "' has no valid value: " + rootMessage(e),
                    "Correct it" + choices(e.getTarget().getType().resolve()) + ".",
                    e);
        }
    }

    private static String choices(@Nullable Class<?> type) {
        return type == null || !type.isEnum()
                ? ""
                : "; it may be one of "
                        + Stream.of(type.getEnumConstants())
                                .map(choice -> choice.toString()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', '-'))
                                .collect(Collectors.joining(", "));
    }

    private static @Nullable String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof ConverterNotFoundException) {
            return "this property takes no value of its own; only the properties below it do";
        }
        return root instanceof ClassNotFoundException ? "there is no class " + root.getMessage() : root.getMessage();
    }

    private static OrderedListenerSettings settings(Listener listener, String where) {
        try {
            return listener.toSettings();
        } catch (IllegalArgumentException e) {
            throw new InvalidOrderedListenerException(
                    "The settings '" + where + "' are wrong: " + e.getMessage(), "Correct the value.", e);
        }
    }

    private static String prefixOf(@Nullable String id) {
        return OrderedKafkaProperties.PREFIX + ".listeners." + id;
    }

    /** Returns the settings of a listener. Logs a warning if Spring's shutdown would not wait for the whole drain. */
    OrderedListenerSettings settingsOf(@Nullable String id) {
        OrderedListenerSettings settings = settings(propertiesOf(id), prefixOf(id));
        if (settings.drainTimeout().compareTo(shutdownTimeout) >= 0) {
            logger.warn(() -> "The ordered listener '" + id + "' has a drain-timeout of " + settings.drainTimeout()
                    + ", but Spring waits only " + shutdownTimeout
                    + " for it when the application is shut down: records that run longer may be repeated. Set a "
                    + "longer spring.lifecycle.timeout-per-shutdown-phase, or a shorter drain-timeout.");
        }
        return settings;
    }

    /**
     * Returns the properties of a listener, completed by those of all listeners, and notes that the listener exists.
     */
    Listener propertiesOf(@Nullable String id) {
        if (id == null) {
            return properties.ofAll();
        }
        known.add(id);
        return properties.of(id);
    }

    /** Returns whether the listener's own properties, not those of all listeners, name its executor or its threads. */
    boolean saysWhereToRun(@Nullable String id) {
        Listener own = id == null ? null : properties.listeners().get(id);
        return own != null && (own.executor() != null || own.threads() != null);
    }

    /** Refuses settings for ids that no listener has. Called when all listeners are known. */
    void checkAllAreUsed() {
        for (String id : new TreeSet<>(properties.listeners().keySet())) {
            if (!known.contains(id)) {
                throw new InvalidOrderedListenerException(
                        "There are settings '" + prefixOf(id) + "', but no ordered listener has the id '" + id + "'",
                        known.isEmpty()
                                ? "There is no ordered listener: put @OrderedByKey on a @KafkaListener with "
                                        + "this id, or remove the settings."
                                : "Correct the id, or put @OrderedByKey on that listener. Ordered listeners are: "
                                        + String.join(", ", new TreeSet<>(known)) + ".");
            }
        }
    }
}
