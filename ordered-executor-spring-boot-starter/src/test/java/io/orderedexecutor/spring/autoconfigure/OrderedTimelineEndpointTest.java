package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A recording over HTTP, and the trace that comes of it. */
class OrderedTimelineEndpointTest {
    private static final String ACCESS = "--management.endpoint.orderedtimeline.access=unrestricted";
    private static final String VALUES = "--management.endpoint.orderedexecutors.show-values=always";

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}

    /** A task that can be seen in a trace. */
    private record Booking(String customer) implements Callable<String> {
        @Override
        public String call() {
            return customer;
        }

        /** Short enough for each recording of JDK 17. */
        @Override
        public String toString() {
            return "book " + customer;
        }
    }

    private static void submit(HttpEndpoint application, String... customers) throws Exception {
        StripedExecutor executor = application.bean("stripedExecutor", StripedExecutor.class);
        for (String customer : customers) {
            assertThat(executor.submit(customer, new Booking(customer)).get(30, TimeUnit.SECONDS))
                    .isEqualTo(customer);
        }
    }

    private static JsonNode trace(HttpEndpoint application) throws IOException, InterruptedException {
        HttpResponse<String> answer = application.get("orderedtimeline");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }

    private static void start(HttpEndpoint application, Duration duration) throws IOException, InterruptedException {
        HttpResponse<String> started =
                application.post("orderedtimeline", "{\"duration\": \"" + duration.toMillis() + "ms\"}");
        assertThat(started.statusCode()).isEqualTo(200);
        assertThat(started.body()).contains(duration.toString());
    }

    /** The recording ends when there is enough in it, not with its time. */
    private static JsonNode recordTasks(HttpEndpoint application, String... customers) throws Exception {
        start(application, Duration.ofSeconds(30));
        for (int i = 0; i < 3; i++) { // a task is recorded for sure when the next one of its key runs
            submit(application, customers);
        }
        assertThat(FlightRecorder.getFlightRecorder().getRecordings())
                .filteredOn(each -> each.getName().equals("ordered executors"))
                .singleElement()
                .satisfies(Recording::stop);
        return trace(application);
    }

    @Test
    void aRecordingEndsWithItsTime() throws Exception {
        try (HttpEndpoint application = HttpEndpoint.start(Nothing.class, ACCESS)) {
            start(application, Duration.ofSeconds(1));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> application.get("orderedtimeline").statusCode() == 200);
        }
    }

    @Test
    void itIsNotThereUnlessItIsGivenAccess() throws Exception {
        try (HttpEndpoint application = HttpEndpoint.start(Nothing.class)) {
            assertThat(application.get("orderedtimeline").statusCode()).isEqualTo(404);
            assertThat(application
                            .bean("stripedExecutor", StripedExecutor.class)
                            .inspect()
                            .settings()
                            .listening())
                    .as("tasks are timed")
                    .isFalse();
        }
    }

    @Test
    void oneRecordingAtATime() throws Exception {
        try (HttpEndpoint application = HttpEndpoint.start(Nothing.class, ACCESS, VALUES)) {
            assertThat(application.get("orderedtimeline").statusCode()).isEqualTo(404);
            assertThat(application.get("orderedtimeline").body()).contains("start a recording with a POST request");
            // it ends with the application
            assertThat(application
                            .post("orderedtimeline", "{\"duration\": \"30s\"}")
                            .statusCode())
                    .isEqualTo(200);
            HttpResponse<String> second = application.post("orderedtimeline", "{}");
            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(second.body()).contains("A recording is running");
            assertThat(application.get("orderedtimeline").body()).contains("still running");
        }
    }

    @Test
    void aTrackForEachKey() throws Exception {
        try (HttpEndpoint application = HttpEndpoint.start(Nothing.class, ACCESS, VALUES)) {
            JsonNode trace = recordTasks(application, "alice", "bob");
            Map<String, List<JsonNode>> tracks = tracksOf(trace);
            assertThat(tracks).containsOnlyKeys("alice", "bob");
            tracks.forEach((customer, track) -> assertThat(track)
                    .allSatisfy(
                            slice -> assertThat(slice.get("name").asString()).isEqualTo("book " + customer)));
            assertThat(trace(application)).as("it stays").isEqualTo(trace);
        }
    }

    @Test
    void keysAreNumbersIfNobodyMaySeeThem() throws Exception {
        try (HttpEndpoint application = HttpEndpoint.start(Nothing.class, ACCESS)) {
            JsonNode trace = recordTasks(application, "alice", "bob");
            assertThat(tracksOf(trace))
                    .containsOnlyKeys("key 1", "key 2")
                    .values()
                    .allSatisfy(track -> assertThat(track)
                            .allSatisfy(slice -> assertThat(slice.get("name").asString())
                                    .isEqualTo("OrderedTimelineEndpointTest$Booking")));
            assertThat(trace.toString()).doesNotContain("alice");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"31s", "0s", "-1s", "soon"})
    void aDurationThatIsNone(String duration) throws Exception {
        OrderedTimelineEndpoint endpoint =
                new OrderedTimelineEndpoint(org.springframework.boot.actuate.endpoint.Show.ALWAYS, Set.of(), List.of());
        assertThat(endpoint.start(duration).getStatus()).isEqualTo(400);
        endpoint.destroy();
    }

    /**
     * Reads the trace as a viewer does, and checks what the format asks for: entries with the fields of their phase,
     * names for each process and thread that occurs, and slices of a thread that do not overlap.
     *
     * @return the slices of each named thread
     */
    private static Map<String, List<JsonNode>> tracksOf(JsonNode trace) {
        assertThat(trace.get("displayTimeUnit").asString()).isIn("ms", "ns");
        Map<String, String> names = new HashMap<>();
        Set<Integer> processes = new HashSet<>();
        Map<String, List<JsonNode>> tracks = new HashMap<>();
        for (JsonNode entry : trace.get("traceEvents")) {
            String id = entry.get("pid").asInt() + "/" + entry.get("tid").asInt();
            String phase = entry.get("ph").asString();
            switch (phase) {
                case "M" -> {
                    String name = entry.at("/args/name").asString();
                    if (entry.get("name").asString().equals("process_name")) {
                        assertThat(processes.add(entry.get("pid").asInt())).isTrue();
                        assertThat(name).isEqualTo("ordered-executor");
                    } else {
                        assertThat(entry.get("name").asString()).isEqualTo("thread_name");
                        assertThat(names.put(id, name)).isNull();
                    }
                }
                case "X" -> {
                    assertThat(entry.get("cat").asString()).isEqualTo("task");
                    assertThat(entry.get("dur").isIntegralNumber()).isTrue();
                    assertThat(entry.at("/args/outcome").asString()).isEqualTo("completed");
                    assertThat(entry.at("/args/queuedMicros").asLong()).isNotNegative();
                    assertThat(names).as("it is named before").containsKey(id);
                    List<JsonNode> track = tracks.computeIfAbsent(names.get(id), key -> new java.util.ArrayList<>());
                    if (!track.isEmpty()) {
                        JsonNode last = track.get(track.size() - 1);
                        assertThat(entry.get("ts").asLong())
                                .as("after the one before")
                                .isGreaterThanOrEqualTo(last.get("ts").asLong());
                    }
                    track.add(entry);
                }
                default -> throw new AssertionError("phase " + phase);
            }
            assertThat(entry.get("ts").isIntegralNumber()).isTrue();
        }
        return tracks;
    }

    /** The return types of the endpoint name no class. */
    @Test
    void whatIsAnsweredIsKnownToANativeImage() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, OrderedTimelineEndpoint.class);
        for (Class<?> type : List.of(
                OrderedTimelineEndpoint.StartedDescriptor.class,
                OrderedExecutorsEndpointWebExtension.RefusalDescriptor.class,
                Trace.class)) {
            for (RecordComponent component : type.getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                        .as(component + " of " + type)
                        .accepts(hints);
            }
        }
    }
}
