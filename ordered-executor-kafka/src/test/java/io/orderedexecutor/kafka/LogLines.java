package io.orderedexecutor.kafka;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is written to a log, until this is closed. */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final Level level;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    /** Begins to listen, to what is INFO or worse. */
    public LogLines(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        level = logger.getLevel();
        logger.setLevel(Level.INFO);
        appender.start();
        logger.addAppender(appender);
    }

    /** With the level before each. */
    public List<String> lines() {
        return List.copyOf(appender.list).stream()
                .map(each -> each.getLevel() + " " + each.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(level);
    }
}
