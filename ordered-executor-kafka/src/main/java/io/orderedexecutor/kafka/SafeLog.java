package io.orderedexecutor.kafka;

import java.util.function.Supplier;
import org.springframework.core.log.LogAccessor;

/** Logs failures of the application, also those that cannot be printed. */
final class SafeLog {
    private SafeLog() {}

    /** Logs an error; never throws. */
    static void error(LogAccessor logger, Throwable failure, Supplier<String> message) {
        try {
            logger.error(failure, message);
        } catch (Throwable unprintable) {
            try {
                logger.error(() -> message.get() + " (its exception, a "
                        + failure.getClass().getName() + ", cannot be printed)");
            } catch (Throwable noLog) {
                // the record is more important than the log
            }
        }
    }
}
