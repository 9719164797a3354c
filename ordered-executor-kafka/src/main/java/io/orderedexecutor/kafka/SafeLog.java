package io.orderedexecutor.kafka;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.Supplier;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.support.KafkaUtils;

/** A log whose methods with a {@link Supplier} never throw: no log and nothing unprintable decides over records. */
final class SafeLog extends LogAccessor {
    private SafeLog(Class<?> type) {
        super(LogFactory.getLog(type));
    }

    static SafeLog of(Class<?> type) {
        return new SafeLog(type);
    }

    @Override
    public void error(Throwable failure, Supplier<? extends CharSequence> message) {
        if (!isWritten(() -> super.error(failure, message))) {
            // logs ask for other things than the JDK prints
            var unused = isWritten(() -> super.error(unprintable(failure), message));
        }
    }

    @Override
    public void warn(Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.warn(message));
    }

    @Override
    public void warn(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.warn(failure, message));
    }

    @Override
    public void info(Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.info(message));
    }

    @Override
    public void info(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.info(failure, message));
    }

    @Override
    public void debug(Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.debug(message));
    }

    @Override
    public void debug(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = isWritten(() -> super.debug(failure, message));
    }

    private static boolean isWritten(Runnable line) {
        try {
            line.run();
            return true;
        } catch (Throwable noLog) {
            if (noLog instanceof VirtualMachineError) {
                report(noLog);
            }
            return false;
        }
    }

    /** An error of the JVM concerns more than this log. */
    private static void report(Throwable error) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        } catch (Throwable ofHandler) {
            // there is nobody left to tell
        }
    }

    /** A failure of the application; if it cannot be printed, one that says so. */
    static Throwable printable(Throwable failure) {
        try {
            failure.printStackTrace(new PrintWriter(Writer.nullWriter()));
            // not all print it
            var unused = failure.getMessage();
            return failure;
        } catch (Throwable unprintable) {
            return unprintable(failure);
        }
    }

    private static Throwable unprintable(Throwable failure) {
        return new IllegalStateException("a " + failure.getClass().getName() + ", which cannot be printed");
    }

    /** As the application formats records; by its coordinates if that fails. */
    static String format(ConsumerRecord<?, ?> record) {
        try {
            return KafkaUtils.format(record);
        } catch (Throwable unprintable) {
            return record.topic() + "-" + record.partition() + "@" + record.offset();
        }
    }
}
