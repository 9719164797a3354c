package io.orderedexecutor.kafka;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.Supplier;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.support.KafkaUtils;

/** A log whose methods below never throw: neither a broken log nor an unprintable failure may affect records. */
final class SafeLog extends LogAccessor {
    private SafeLog(Class<?> type) {
        super(LogFactory.getLog(type));
    }

    static SafeLog of(Class<?> type) {
        return new SafeLog(type);
    }

    @Override
    public void error(Throwable failure, Supplier<? extends CharSequence> message) {
        if (!tryWrite(() -> super.error(failure, message))) {
            // the log may call a method of the failure that throws
            var unused = tryWrite(() -> super.error(unprintable(failure), message));
        }
    }

    @Override
    public void warn(Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.warn(message));
    }

    @Override
    public void warn(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.warn(failure, message));
    }

    @Override
    public void info(Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.info(message));
    }

    @Override
    public void info(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.info(failure, message));
    }

    @Override
    public void debug(Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.debug(message));
    }

    @Override
    public void debug(Throwable failure, Supplier<? extends CharSequence> message) {
        var unused = tryWrite(() -> super.debug(failure, message));
    }

    private static boolean tryWrite(Runnable line) {
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

    /** Reports an error of the JVM to the handler of uncaught exceptions, since it concerns more than this log. */
    private static void report(Throwable error) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        } catch (Throwable ofHandler) {
            // there is nowhere left to report this
        }
    }

    /** Returns a failure of the application, or another exception in its place if it cannot be printed. */
    static Throwable printable(Throwable failure) {
        try {
            failure.printStackTrace(new PrintWriter(Writer.nullWriter()));
            // not every failure prints its message
            var unused = failure.getMessage();
            return failure;
        } catch (Throwable unprintable) {
            return unprintable(failure);
        }
    }

    private static Throwable unprintable(Throwable failure) {
        return new IllegalStateException("a " + failure.getClass().getName() + ", which cannot be printed");
    }

    /** Returns a record as the application formats it, or its coordinates if that fails. */
    static String format(ConsumerRecord<?, ?> record) {
        try {
            return KafkaUtils.format(record);
        } catch (Throwable unprintable) {
            return record.topic() + "-" + record.partition() + "@" + record.offset();
        }
    }
}
