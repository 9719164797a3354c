package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;

/**
 * Refuses unknown properties, and values out of range. The binder alone would ignore unknown properties and accept any
 * number. A property that exists and is empty, as {@code ${THREADS:}} may be, is merely not set.
 */
final class StrictBinding extends NoUnboundElementsBindHandler {

    StrictBinding() {
        super(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (!PropertyReference.isInRange(name, result)) {
            throw new IllegalArgumentException(name + " is out of range");
        }
        return super.onSuccess(name, target, context, result);
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
            throws Exception {
        if (result == null) {
            super.onSuccess(name, target, context, "");
        }
        super.onFinish(name, target, context, result);
    }
}
