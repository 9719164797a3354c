package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.FullHeap;
import io.orderedexecutor.fixtures.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap that is full for some milliseconds costs tasks, and no stripe and no thread. */
@Tag("known-defect")
class FullHeapTest {

    @Test
    @DisplayName("after an OutOfMemoryError anywhere, every stripe still runs its tasks")
    void everyStripeGoesOn(@TempDir Path directory) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Dpatience=" + Patience.SECONDS,
                        "-Dheap.rounds=" + Integer.getInteger("heap.rounds", 10),
                        "-Xmx48m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FullHeap.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(3 * Patience.SECONDS, TimeUnit.SECONDS)) {
                // it prints its threads, for which it needs no memory
                new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                        .start()
                        .waitFor(Patience.SECONDS, TimeUnit.SECONDS);
                process.waitFor(1, TimeUnit.SECONDS);
            }
        } finally {
            // by SIGKILL: a JVM without memory may not act on any other signal
            process.destroyForcibly().waitFor(Patience.SECONDS, TimeUnit.SECONDS);
        }
        assertThat(Files.readString(output, StandardCharsets.UTF_8)).endsWith("all went on" + System.lineSeparator());
        assertThat(process.exitValue()).isZero();
    }
}
