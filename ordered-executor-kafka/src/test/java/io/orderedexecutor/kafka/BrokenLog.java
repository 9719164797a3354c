package io.orderedexecutor.kafka;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Our logs throw whenever they are used, until this is closed. */
final class BrokenLog extends TurboFilter implements AutoCloseable {
    private final LoggerContext logs = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final AtomicInteger asked = new AtomicInteger();

    BrokenLog() {
        logs.addTurboFilter(this);
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        if (logger.getName().startsWith("io.orderedexecutor.kafka")) {
            asked.incrementAndGet();
            throw new IllegalStateException("of the log");
        }
        return FilterReply.NEUTRAL;
    }

    /** How often something was to be written. */
    int asked() {
        return asked.get();
    }

    @Override
    public void close() {
        logs.getTurboFilterList().remove(this);
    }
}
