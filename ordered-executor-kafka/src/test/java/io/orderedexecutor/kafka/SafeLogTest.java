package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A log that decides nothing. */
class SafeLogTest {
    private static final SafeLog LOG = SafeLog.of(SafeLogTest.class);

    @Test
    @DisplayName(
            "an error of the JVM in a log is told to the handler of the thread, and nothing else is thrown or told")
    void errorsOfTheJvm() {
        List<Throwable> told = new ArrayList<>();
        OutOfMemoryError error = new OutOfMemoryError("in the test");
        Supplier<String> message = () -> {
            throw error;
        };
        Thread thread = Thread.currentThread();
        thread.setUncaughtExceptionHandler((ofThread, failure) -> {
            told.add(failure);
            throw new IllegalStateException("of the handler");
        });
        try (LogLines lines = new LogLines(SafeLogTest.class.getName())) {
            LOG.warn(message);
            LOG.error(new IllegalStateException("of the record"), message);
            LOG.info(() -> {
                throw new IllegalStateException("of the log");
            });
            assertThat(lines.lines()).isEmpty();
        } finally {
            thread.setUncaughtExceptionHandler(null);
        }
        assertThat(told).isNotEmpty().containsOnly(error);
    }

    @Test
    @DisplayName("what is not written is not formatted")
    void belowTheLevel() {
        try (LogLines lines = new LogLines(SafeLogTest.class.getName())) {
            LOG.debug(() -> {
                throw new AssertionError("formatted");
            });
            LOG.info(() -> "written");
            assertThat(lines.lines()).containsExactly("INFO written");
        }
    }
}
