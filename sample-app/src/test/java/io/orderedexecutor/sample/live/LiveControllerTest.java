package io.orderedexecutor.sample.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SampleTest
@TestPropertySource(properties = "spring.application.name=live") // an application whose figures no other test reads
class LiveControllerTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @LocalServerPort
    int port;

    @Autowired
    @Qualifier("oneKey")
    StripedExecutor executor;

    @Autowired
    HeldDatabase database;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void buttonsAreForTheOwnPage() throws Exception {
        assertThat(post("/live/slow?client=bob", "http://localhost:" + port)).isEqualTo(202);
        assertThat(post("/live/slow?client=bob", null)).isEqualTo(202);
        assertThat(post("/live/slow?client=bob", "https://example.org")).isEqualTo(403);
        assertThat(post("/live/slow?client=bob", "http://localhost:1")).isEqualTo(403);
        assertThat(post("/live/slow?client=bob", "null")).isEqualTo(403);
        assertThat(post("/live/message", "https://example.org")).isEqualTo(403);
        database.letGo();
        assertThat(executor.control().awaitIdle("bob", LIMIT)).isTrue();
    }

    /** A form needs no permission of the server to be sent from another page. */
    @ParameterizedTest
    @ValueSource(
            strings = {"/transfers?from=alice&to=bob&amount=1", "/chats/alice/followup?message=hello", "/live/message"})
    void whatAPageOfAnotherOriginPostsIsRefused(String path) throws Exception {
        assertThat(post(path, "https://example.org")).isEqualTo(403);
    }

    @Test
    void behindAProxyThePageHasTheOriginOfTheProxy() throws Exception {
        assertThat(postByProxy("https://bank.example")).isEqualTo(202);
        assertThat(postByProxy("http://bank.example")).isEqualTo(403);
        assertThat(postByProxy("https://example.org")).isEqualTo(403);
        database.letGo();
        assertThat(executor.control().awaitIdle("bob", LIMIT)).isTrue();
    }

    private int postByProxy(String origin) throws Exception {
        return status(request("/live/slow?client=bob")
                .header("Origin", origin)
                .header("X-Forwarded-Host", "bank.example")
                .header("X-Forwarded-Proto", "https")
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void theEndpointIsForTheOwnPage() throws Exception {
        String endpoint = "/actuator/orderedexecutors/oneKey";
        HttpRequest.BodyPublisher settings = HttpRequest.BodyPublishers.ofString("{\"threads\": 8}");
        for (String origin : List.of("https://example.org", "null", "http://localhost:" + port)) {
            int status = origin.endsWith(":" + port) ? 200 : 403;
            assertThat(status(request(endpoint)
                            .header("Origin", origin)
                            .header("Content-Type", "application/json")
                            .POST(settings)))
                    .as(origin)
                    .isEqualTo(status);
        }
    }

    /** Of the buttons, a slow step takes longest. */
    @Test
    void whatAClientHasQueuedIsDoneBeforeAShutdownGivesUp(
            @Value("${ordered-executor.striped.oneKey.key-capacity}") int queued,
            @Value("${spring.lifecycle.timeout-per-shutdown-phase}") Duration limit) {
        int running = 1;
        Duration longest = Duration.ofMillis(SimulatedDatabase.MAX_AMOUNT).multipliedBy(running + queued);
        assertThat(longest).isLessThan(limit);
    }

    @Test
    void aFailedStepSucceedsWhenItIsRunAgain() throws Exception {
        assertThat(post("/live/fail?client=dave", null)).isEqualTo(202);
        await().until(() -> executor.inspect().stats().parked() == 1);
        executor.control().resume("dave");
        assertThat(executor.control().awaitIdle("dave", LIMIT))
                .as("else it is parked again")
                .isTrue();
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        assertThat(post("/live/burst?count=0", null)).isEqualTo(400);
        assertThat(post("/live/burst?count=101", null)).isEqualTo(400);
        assertThat(post("/live/slow?client=mallory", null)).isEqualTo(400);
        assertThat(post("/live/transfer?from=alice&to=alice", null)).isEqualTo(400);
        assertThat(post("/live/pause?client=mallory", null)).isEqualTo(400);
    }

    @Test
    void aClientWithoutStepsIsPaused() throws Exception {
        assertThat(post("/live/pause?client=dave", null)).isEqualTo(202);
        try {
            assertThat(executor.control().isPaused("dave")).isTrue();
        } finally {
            executor.control().resume("dave");
        }
    }

    @Test
    void eachStepOfAClientIsToldOnceAndInOrder() throws Exception {
        List<Integer> ended = new ArrayList<>();
        watch(() -> assertThat(post("/live/flood?client=carol&count=10", null)).isEqualTo(202), moment -> {
            if (moment.isOf("STRIPED", "carol") && moment.what().equals("ENDED")) {
                ended.add(moment.number());
            }
            return ended.size() < 10;
        });
        int first = ended.get(0);
        assertThat(ended).isEqualTo(IntStream.range(first, first + 10).boxed().toList());
    }

    @Test
    void framesAreWrittenInOrder() throws Exception {
        List<Integer> written = new ArrayList<>();
        watch(() -> assertThat(post("/live/render?count=10", null)).isEqualTo(200), moment -> {
            if (moment.isOf("OUTPUT", "output") && moment.what().equals("WRITTEN")) {
                written.add(moment.number());
            }
            return written.size() < 10;
        });
        assertThat(written).isEqualTo(IntStream.rangeClosed(1, 10).boxed().toList());
    }

    @Test
    void eachMessageIsAnsweredOrDropped() throws Exception {
        List<Told> told = new ArrayList<>();
        watch(
                () -> {
                    for (int i = 0; i < 3; i++) {
                        assertThat(post("/live/message", null)).isEqualTo(202);
                    }
                },
                moment -> {
                    told.add(moment);
                    return numbers(told, "followup", "ENDED").size() < 3; // those take the longest
                });

        List<Integer> messages = numbers(told, "followup", "QUEUED");
        Integer last = messages.get(2);
        assertThat(numbers(told, "followup", "STARTED")).isEqualTo(messages);
        assertThat(numbers(told, "followup", "ENDED")).isEqualTo(messages);
        assertThat(numbers(told, "collect", "STARTED", "JOINED")).isEqualTo(messages);
        assertThat(numbers(told, "latest", "ENDED", "CANCELLED")).containsExactlyInAnyOrderElementsOf(messages);
        assertThat(numbers(told, "latest", "ENDED")).contains(last);
        assertThat(numbers(told, "interrupt", "STARTED")).contains(last);
        assertThat(numbers(told, "interrupt", "ENDED")).contains(last);
        assertThat(numbers(told, "interrupt", "STOPPED")).doesNotContain(last);
    }

    private static List<Integer> numbers(List<Told> told, String session, String... what) {
        return told.stream()
                .filter(moment -> moment.isOf("BUSY", session) && List.of(what).contains(moment.what()))
                .map(Told::number)
                .toList();
    }

    /** A moment as a browser gets it. */
    private record Told(String what, String lane, String track, int number) {
        boolean isOf(String otherLane, String otherTrack) {
            return lane.equals(otherLane) && track.equals(otherTrack);
        }
    }

    /** Reads the moments of what {@code buttons} do, as long as {@code reader} wants more. */
    private void watch(ThrowingRunnable buttons, Predicate<Told> reader) throws Exception {
        HttpResponse<InputStream> stream =
                client.send(request("/live/moments").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            buttons.run();
            boolean more = true;
            while (more) {
                for (Told moment : moments(lines.readLine())) {
                    more &= reader.test(moment);
                }
            }
        }
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    private static List<Told> moments(String line) {
        List<Told> moments = new ArrayList<>();
        if (line.startsWith("data:")) {
            for (JsonNode moment :
                    JsonMapper.shared().readTree(line.substring(5)).get("moments")) {
                moments.add(new Told(
                        moment.get("what").asString(),
                        moment.at("/step/lane").asString(),
                        moment.get("tracks").path(0).asString(),
                        moment.at("/step/number").asInt()));
            }
        }
        return moments;
    }

    private int post(String path, @Nullable String origin) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.noBody());
        if (origin != null) {
            request.header("Origin", origin);
        }
        return status(request);
    }

    private int status(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(LIMIT);
    }
}
