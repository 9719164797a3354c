package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.AllFeatures;
import io.orderedexecutor.fixtures.OneCarrier;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.VirtualThreads;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup.ClassOption;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** No virtual thread keeps its carrier while it waits. */
@EnabledForJreRange(min = JRE.JAVA_21)
class StripedVirtualCarrierTest {

    /** Its initialization waits, with a frame of the virtual machine below it, which pins in every JDK. */
    private static final class PinsOnPurpose {
        static {
            waitForAnother();
        }
    }

    /** Another class like that, since each is initialized once. */
    private static void pinOnPurpose() {
        try (InputStream classFile =
                PinsOnPurpose.class.getResourceAsStream("StripedVirtualCarrierTest$PinsOnPurpose.class")) {
            MethodHandles.lookup()
                    .defineHiddenClass(Objects.requireNonNull(classFile).readAllBytes(), true, ClassOption.NESTMATE);
        } catch (IOException | IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static void waitForAnother() {
        CountDownLatch latch = new CountDownLatch(1);
        Thread waiting = Thread.currentThread();
        new Thread(() -> {
                    Patience.awaitParked(waiting);
                    latch.countDown();
                })
                .start();
        Patience.await(latch);
    }

    /** Not by us: the JDK clears an interrupt under a lock, which another thread has that interrupts at that moment. */
    private static boolean clearsAnInterrupt(String frames) {
        return frames.startsWith("\njava.lang.VirtualThread.getAndClearInterrupt:");
    }

    @Test
    @DisplayName("Nothing pins: the JDK reports no pinned thread with a frame of ours, and would report one")
    void nothingPins(@TempDir Path directory) throws IOException {
        // classes are loaded and initialized below frames of the virtual machine, and that may pin
        AllFeatures.run();
        Path file = directory.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            recording.start();
            // a recording looks at exceptions with a class of its own, which is initialized by the first one
            assertThat(new ThrownOnPurpose()).isNotNull();
            AllFeatures.run();
            Patience.join(VirtualThreads.start(StripedVirtualCarrierTest::pinOnPurpose));
            recording.stop();
            recording.dump(file);
        }
        List<String> pinned = RecordingFile.readAllEvents(file).stream()
                .map(StripedVirtualCarrierTest::frames)
                .filter(frames -> frames.contains("io.orderedexecutor."))
                .toList();
        assertThat(pinned.stream().filter(frames -> frames.contains("waitForAnother")))
                .as("what is pinned on purpose is reported")
                .isNotEmpty();
        assertThat(pinned.stream().filter(frames -> !frames.contains("waitForAnother") && !clearsAnInterrupt(frames)))
                .isEmpty();
    }

    private static String frames(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        return stack == null
                ? ""
                : stack.getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName() + "."
                                + frame.getMethod().getName() + ":" + frame.getLineNumber())
                        .collect(Collectors.joining("\n", "\n", "\n"));
    }

    @Test
    @DisplayName("with one carrier for all, those who wait stop nobody: submitters, waiters, paused and parked stripes")
    void oneCarrierIsEnough(@TempDir Path directory) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-Dpatience=" + Patience.SECONDS,
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OneCarrier.class.getName())
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
