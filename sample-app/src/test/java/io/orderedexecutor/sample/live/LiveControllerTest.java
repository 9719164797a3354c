package io.orderedexecutor.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.io.BufferedReader;
import java.io.IOException;
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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.application.name=live") // an application of its own, whose figures no other test reads
class LiveControllerTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @LocalServerPort
    int port;

    @Autowired
    StripedExecutor executor;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void buttonsAreForTheOwnPage() throws Exception {
        assertThat(post("/live/slow?client=bob", "http://localhost:" + port)).isEqualTo(202);
        assertThat(post("/live/slow?client=bob", null)).isEqualTo(202);
        assertThat(post("/live/slow?client=bob", "https://example.org")).isEqualTo(403);
        assertThat(post("/live/slow?client=bob", "http://localhost:1")).isEqualTo(403);
        assertThat(post("/live/slow?client=bob", "null")).isEqualTo(403);
        assertThat(executor.awaitIdle("bob", LIMIT)).isTrue();
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        assertThat(post("/live/burst?count=0", null)).isEqualTo(400);
        assertThat(post("/live/burst?count=101", null)).isEqualTo(400);
        assertThat(post("/live/slow?client=mallory", null)).isEqualTo(400);
        assertThat(post("/live/transfer?from=alice&to=alice", null)).isEqualTo(400);
    }

    @Test
    void eachStepOfAClientIsToldOnceAndInOrder() throws Exception {
        HttpResponse<InputStream> stream =
                client.send(request("/live/moments").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        List<Integer> ended = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            assertThat(post("/live/flood?client=carol&count=10", null)).isEqualTo(202);
            while (ended.size() < 10) {
                ended.addAll(endedIn(lines.readLine()));
            }
        }
        int first = ended.get(0);
        assertThat(ended).isEqualTo(IntStream.range(first, first + 10).boxed().toList());
    }

    private static List<Integer> endedIn(String line) throws IOException {
        List<Integer> ended = new ArrayList<>();
        if (line.startsWith("data:")) {
            for (JsonNode moment :
                    JsonMapper.shared().readTree(line.substring(5)).get("moments")) {
                if (moment.get("what").asString().equals("ENDED")
                        && moment.get("lane").asString().equals("STRIPED")
                        && moment.get("keys").get(0).asString().equals("carol")) {
                    ended.add(moment.get("number").asInt());
                }
            }
        }
        return ended;
    }

    private int post(String path, @Nullable String origin) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.noBody());
        if (origin != null) {
            request.header("Origin", origin);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(LIMIT);
    }
}
