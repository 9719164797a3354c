package io.orderedexecutor.spring.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Refuses properties that are never read. One that is known and empty, as {@code ${THREADS:}} may be, is merely not
 * set; those of other modules are theirs to check.
 */
final class NoUnknownProperties extends NoUnboundElementsBindHandler {
    private final Environment environment;
    private final Set<ConfigurationPropertyName> known = new HashSet<>();

    NoUnknownProperties(Environment environment) {
        super(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
        this.environment = environment;
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        known.add(name);
        return super.onStart(name, target, context);
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
            throws Exception {
        try {
            super.onFinish(name, target, context, result);
        } catch (UnboundConfigurationPropertiesException e) {
            Set<ConfigurationProperty> unknown = e.getUnboundProperties().stream()
                    .filter(property -> !(known.contains(property.getName()) && isEmpty(property)))
                    .filter(property -> !PropertyReference.isOfOtherModule(property.getName()))
                    .collect(Collectors.toSet());
            if (!unknown.isEmpty()) {
                throw new UnboundConfigurationPropertiesException(unknown);
            }
        }
    }

    private boolean isEmpty(ConfigurationProperty property) {
        return environment
                .resolvePlaceholders(String.valueOf(property.getValue()))
                .isBlank();
    }
}
