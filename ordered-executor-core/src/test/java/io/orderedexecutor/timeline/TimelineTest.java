package io.orderedexecutor.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What executors write to the Flight Recorder, read back. */
class TimelineTest {
    private static final String TASK = "io.orderedexecutor.Task";
    private static final Path SETTINGS = Path.of("../docs/jfr/ordered-executors.jfc");

    @TempDir
    Path directory;

    private final SteppedExecutor pool = new SteppedExecutor();
    private int ran;

    private StripedExecutor orders(boolean keys) {
        return StripedExecutor.builder()
                .name("orders")
                .executor(pool)
                .stripeCapacity(2)
                .failurePolicy(FailurePolicy.retry(2, Duration.ZERO).thenPark())
                .flightRecorder(keys)
                .build();
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
    void aStreamReadsEachTaskBack() {
        StripedExecutor executor = orders(true);
        CountDownLatch read = new CountDownLatch(2);
        List<RecordedEvent> events = new ArrayList<>();
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable(TASK);
            stream.setReuse(false);
            stream.onEvent(TASK, event -> {
                events.add(event);
                read.countDown();
            });
            stream.startAsync();
            executor.execute("a", () -> ran++);
            executor.execute("b", () -> ran++);
            pool.runAll();
            Patience.await(read);
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
    void eachKindOfEndAndWhatElseHappens() throws IOException, ParseException {
        StripedExecutor executor = orders(false);
        Recording recording = started();
        executor.execute("a", () -> {
            ran++;
            throw new ThrownOnPurpose();
        });
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> asynchronous = executor.submitAsync("b", () -> stage);
        pool.runAll();
        asynchronous.cancel(false);
        executor.execute("a", () -> ran++);
        assertThatThrownBy(() -> executor.execute("a", () -> ran++)).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.skip("a")).isTrue();
        pool.runAll();
        List<RecordedEvent> events = stopped(recording);

        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(TASK))
                .allSatisfy(event -> assertThat(event.getString("text")).isNull())
                .extracting(event -> event.getString("outcome"))
                .containsExactlyInAnyOrder("retried", "parked", "cancelled", "completed");
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.orderedexecutor.Rejected"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getClass("reason").getName())
                            .isEqualTo(RejectedExecutionException.class.getName());
                    assertThat(event.getStackTrace().getFrames()).isNotEmpty();
                });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.orderedexecutor.Parked"))
                .singleElement()
                .extracting(event -> event.getClass("failure").getName())
                .isEqualTo(ThrownOnPurpose.class.getName());
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("key")).as("not allowed").isNull();
            assertThat(event.getInt("track")).isIn("a".hashCode(), "b".hashCode());
        });
        assertThat(ran).isEqualTo(3);
        Patience.terminate(executor);
    }

    @Test
    void aPieceAndItsOutput() throws IOException, ParseException {
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .name("frames")
                .executor(pool)
                .flightRecorder(true)
                .build();
        List<String> written = new ArrayList<>();
        OrderedOutput<String> film =
                executor.<String>outputTo(written::add).name("film").open();
        Recording recording = started();
        film.submit(() -> "first");
        pool.runAll();
        List<RecordedEvent> events = stopped(recording);
        assertThat(written).containsExactly("first");
        assertThat(events)
                .extracting(event -> event.getEventType().getName())
                .containsExactlyInAnyOrder(TASK, "io.orderedexecutor.Written");
        assertThat(events)
                .allSatisfy(event -> assertThat(event.getString("key")).contains("film"));
        Patience.terminate(executor);
    }

    @Test
    void nothingIsWrittenUnlessARecordingAsksForIt() throws IOException {
        StripedExecutor executor = orders(true);
        Recording recording = new Recording();
        recording.enable("jdk.ThreadStart");
        recording.start();
        executor.execute("a", () -> ran++);
        pool.runAll();
        assertThat(stopped(recording)).isEmpty();
        assertThat(ran).isEqualTo(1);
        Patience.terminate(executor);
    }

    @Test
    void aTaskThatHasStartedBeforeTheRecordingIsNone() throws IOException, ParseException {
        StripedExecutor executor = orders(true);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        pool.runAll();
        Recording recording = started();
        stage.complete("done");
        pool.runAll();
        assertThat(future).isCompletedWithValue("done");
        assertThat(stopped(recording)).isEmpty();
        Patience.terminate(executor);
    }

    @Test
    void theSettingsFileEnablesEachEventThereIs() throws IOException, ParseException {
        orders(true).close();
        List<String> ours = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .map(type -> type.getName())
                .filter(name -> name.startsWith("io.orderedexecutor."))
                .toList();
        assertThat(ours).hasSize(4);
        assertThat(Configuration.create(SETTINGS).getSettings())
                .containsAllEntriesOf(ours.stream()
                        .collect(java.util.stream.Collectors.toMap(name -> name + "#enabled", name -> "true")));
        assertThat(Files.readString(SETTINGS)).doesNotContain("jdk.");
    }
}
