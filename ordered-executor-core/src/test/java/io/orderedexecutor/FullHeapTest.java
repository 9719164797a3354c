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
    @DisplayName("R5: after an OutOfMemoryError anywhere, every stripe still runs its tasks")
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
            boolean ended = process.waitFor(3 * Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(ended).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
            assertThat(Files.readString(output, StandardCharsets.UTF_8))
                    .endsWith("all went on" + System.lineSeparator());
        }
        assertThat(process.exitValue()).isZero();
    }
}
