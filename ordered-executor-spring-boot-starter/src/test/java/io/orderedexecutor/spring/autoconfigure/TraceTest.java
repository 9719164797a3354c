package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/** How a recording becomes a trace. */
class TraceTest {
    @TempDir
    Path directory;

    private final List<String> written = new CopyOnWriteArrayList<>();

    /** The first of three pieces begins before the second and ends after it. The third comes when both are written. */
    private List<RecordedEvent> overlappingPieces() throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                        .name("frames")
                        .executor(Runnable::run)
                        .listener(new Timeline("frames", true))
                        .build();
                Recording recording = new Recording()) {
            OrderedOutput<String> film =
                    executor.<String>outputTo(written::add).name("film").open();
            Trace.EVENTS.forEach(recording::enable);
            recording.start();
            CompletableFuture<String> first = new CompletableFuture<>();
            CompletableFuture<String> second = new CompletableFuture<>();
            film.submitAsync(() -> first);
            CompletableFuture<String> lastOfTwo = film.submitAsync(() -> second);
            letTimePass();
            second.complete("second");
            letTimePass();
            first.complete("first");
            // by the helper of the executor, not by this thread
            lastOfTwo.get(30, TimeUnit.SECONDS);
            letTimePass();
            film.submit(() -> "third").get(30, TimeUnit.SECONDS);
            recording.stop();
            recording.dump(file);
        }
        assertThat(written).containsExactly("first", "second", "third");
        return RecordingFile.readAllEvents(file);
    }

    /** More than the microsecond that a trace can tell. */
    private static void letTimePass() throws InterruptedException {
        assertThat(new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS)).isFalse();
    }

    /** The slices of each named track, in their order in the trace. */
    private static Map<String, List<Trace.Entry>> tracksOf(Trace trace) {
        Map<Integer, String> names = new HashMap<>();
        Map<String, List<Trace.Entry>> tracks = new TreeMap<>();
        for (Trace.Entry entry : trace.traceEvents()) {
            if (entry.name().equals("thread_name")) {
                String name = String.valueOf(entry.args().get("name"));
                assertThat(names.put(entry.tid(), name)).isNull();
                assertThat(tracks.put(name, new ArrayList<>())).isNull();
            } else if (entry.ph().equals("X")) {
                tracks.get(names.get(entry.tid())).add(entry);
            }
        }
        return tracks;
    }

    @Test
    void whatRunsAtTheSameTimeForOneKeyHasTracksOfItsOwn() throws Exception {
        List<RecordedEvent> events = overlappingPieces();
        Map<String, List<Trace.Entry>> tracks = tracksOf(Trace.of(events, new Shown(new Sanitizer(), true, false)));
        assertThat(tracks).containsOnlyKeys("film of frames", "film of frames (2)", "film of frames, output");
        assertThat(tracks.values()).allSatisfy(track -> {
            for (int i = 1; i < track.size(); i++) {
                Trace.Entry before = track.get(i - 1);
                assertThat(before.ts() + before.dur())
                        .as("the end of the slice before")
                        .isLessThanOrEqualTo(track.get(i).ts());
            }
        });
        assertThat(tracks.values().stream().flatMap(List::stream).map(Trace.Entry::cat))
                .containsExactlyInAnyOrder("task", "task", "task", "output", "output", "output");
        assertThat(tracksOf(Trace.of(events, new Shown(new Sanitizer(), false, false))))
                .containsOnlyKeys("key 1", "key 1 (2)", "key 1, output");
    }
}
