package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the timeline of an executor writes to the Flight Recorder, read back. */
class TimelineTest {
    private static final Path SETTINGS = Path.of("../docs/jfr/ordered-executors.jfc");

    @TempDir
    Path directory;

    /** What executors have handed over; {@link #runAll} runs it. */
    private final Queue<Runnable> pool = new ArrayDeque<>();

    private int ran;

    private StripedExecutor orders(boolean keys) {
        return StripedExecutor.builder()
                .name("orders")
                .executor(pool::add)
                .keyCapacity(2)
                .failurePolicy(
                        FailurePolicy.retry().maxRetries(1).delay(Duration.ZERO).thenPark())
                .listener(new Timeline("orders", keys))
                .build();
    }

    private void runAll() {
        for (Runnable next = pool.poll(); next != null; next = pool.poll()) {
            next.run();
        }
    }

    /** Nothing of it is left. */
    private static void end(OrderedExecutor executor) throws InterruptedException {
        executor.shutdown();
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
    }

    private static Recording started() throws IOException, ParseException {
        Recording recording = new Recording(Configuration.create(SETTINGS));
        recording.start();
        return recording;
    }

    private List<RecordedEvent> stopped(Recording recording) throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (recording) {
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.orderedexecutor."))
                .toList();
    }

    @Test
    void aStreamReadsEachTaskBack() throws InterruptedException {
        StripedExecutor executor = orders(true);
        CountDownLatch read = new CountDownLatch(2);
        List<RecordedEvent> events = new ArrayList<>();
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable(Timeline.TASK);
            stream.setReuse(false);
            stream.onEvent(Timeline.TASK, event -> {
                events.add(event);
                read.countDown();
            });
            stream.startAsync();
            executor.execute("a", () -> ran++);
            executor.execute("b", () -> ran++);
            runAll();
            assertThat(read.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ran).isEqualTo(2);
        assertThat(events).extracting(event -> event.getString("key")).containsExactlyInAnyOrder("a", "b");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("executor")).isEqualTo("orders");
            assertThat(event.getString("outcome")).isEqualTo("completed");
            assertThat(event.getClass("task").getName()).contains("TimelineTest$$Lambda");
            assertThat(event.getDuration("queued")).isPositive();
            assertThat(event.getDuration()).isPositive();
        });
    }

    @Test
    void eachKindOfEndAndWhatElseHappens() throws IOException, ParseException, InterruptedException {
        StripedExecutor executor = orders(false);
        Recording recording = started();
        executor.execute("a", () -> {
            ran++;
            throw new IllegalStateException("thrown by the test");
        });
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> asynchronous = executor.submitAsync("b", () -> stage);
        runAll();
        asynchronous.cancel(false);
        executor.execute("a", () -> ran++);
        assertThatThrownBy(() -> executor.execute("a", () -> ran++)).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.control().skip("a")).isTrue();
        runAll();
        List<RecordedEvent> events = stopped(recording);

        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(Timeline.TASK))
                .allSatisfy(event -> assertThat(event.getString("text")).isNull())
                .extracting(event -> event.getString("outcome"))
                .containsExactlyInAnyOrder("retried", "parked", "cancelled", "completed");
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(Timeline.REJECTED))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getClass("reason").getName())
                            .isEqualTo(RejectedExecutionException.class.getName());
                    assertThat(event.getStackTrace().getFrames()).isNotEmpty();
                });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(Timeline.PARKED))
                .singleElement()
                .extracting(event -> event.getClass("failure").getName())
                .isEqualTo(IllegalStateException.class.getName());
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("key")).as("not allowed").isNull();
            assertThat(event.getInt("track")).isIn("a".hashCode(), "b".hashCode());
        });
        assertThat(ran).isEqualTo(3);
        end(executor);
    }

    @Test
    void aPieceAndItsOutput() throws IOException, ParseException, InterruptedException {
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .name("frames")
                .executor(pool::add)
                .listener(new Timeline("frames", true))
                .build();
        List<String> written = new ArrayList<>();
        OrderedOutput<String> film =
                executor.<String>outputTo(written::add).name("film").open();
        Recording recording = started();
        film.submit(() -> "first");
        runAll();
        List<RecordedEvent> events = stopped(recording);
        assertThat(written).containsExactly("first");
        assertThat(events)
                .extracting(event -> event.getEventType().getName())
                .containsExactlyInAnyOrder(Timeline.TASK, Timeline.WRITTEN);
        assertThat(events)
                .allSatisfy(event -> assertThat(event.getString("key")).contains("film"));
        end(executor);
    }

    @Test
    void nothingIsWrittenUnlessARecordingAsksForIt() throws IOException, InterruptedException {
        StripedExecutor executor = orders(true);
        Recording recording = new Recording();
        recording.enable("jdk.ThreadStart");
        recording.start();
        executor.execute("a", () -> ran++);
        runAll();
        assertThat(stopped(recording)).isEmpty();
        assertThat(ran).isEqualTo(1);
        end(executor);
    }

    @Test
    void aTaskThatHasStartedBeforeTheRecordingIsNone() throws IOException, ParseException, InterruptedException {
        StripedExecutor executor = orders(true);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        runAll();
        Recording recording = started();
        stage.complete("done");
        runAll();
        assertThat(future).isCompletedWithValue("done");
        assertThat(stopped(recording)).isEmpty();
        end(executor);
    }

    @Test
    void theSettingsFileEnablesEachEventThereIs() throws IOException, ParseException {
        orders(true).close();
        List<String> ours = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .map(type -> type.getName())
                .filter(name -> name.startsWith("io.orderedexecutor."))
                // other tests of this JVM may have loaded the classes of the events with a loader of their own
                .distinct()
                .toList();
        assertThat(ours).hasSize(4);
        assertThat(Configuration.create(SETTINGS).getSettings())
                .containsAllEntriesOf(ours.stream()
                        .collect(java.util.stream.Collectors.toMap(name -> name + "#enabled", name -> "true")));
        assertThat(Files.readString(SETTINGS)).doesNotContain("jdk.");
    }
}
