package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** A property that is wrong: which, its value and where it comes from, why, and what to change. */
final class OrderedExecutorPropertyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String property;
    private final transient @Nullable ConfigurationProperty source;
    private final String reason;
    private final String mend;

    /**
     * @param property the full name
     * @param source the value and its origin, if it was found
     */
    OrderedExecutorPropertyException(
            String property,
            @Nullable ConfigurationProperty source,
            String reason,
            String mend,
            @Nullable Throwable cause) {
        super("The property '" + property + "' " + reason + ". " + mend, cause);
        this.property = property;
        this.source = source;
        this.reason = reason;
        this.mend = mend;
    }

    String property() {
        return property;
    }

    @Nullable
    ConfigurationProperty source() {
        return source;
    }

    String reason() {
        return reason;
    }

    String mend() {
        return mend;
    }
}
