package io.orderedexecutor.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Bodies that end badly while their sender still listens: it must learn what was accepted. */
@SampleTest
@TestPropertySource(properties = "server.tomcat.connection-timeout=1s")
class BrokenBodyTest {
    private static final String GOOD = "{\"client\":\"%s\",\"type\":\"deposit\",\"coins\":1}\n";
    private static final String EVENT = "{\"type\":\"deposit\",\"coins\":1}";
    private static final String MALFORMED = "zz\r\n";
    private static final String STALLED = "";

    @LocalServerPort
    int port;

    @Test
    void aMalformedBulkIsAProblemThatTellsWhereToGoOn() throws IOException {
        String answer = post("/events", "application/x-ndjson", chunk(GOOD.formatted("malformed")) + MALFORMED);

        assertThat(answer)
                .startsWith("HTTP/1.1 400 ")
                .contains("Content-Type: application/problem+json", "\"accepted\":1", "\"sendAgainFromLine\":2");
        assertThat(processed("malformed")).isEqualTo(1);
    }

    @Test
    void aBulkThatStallsIsAProblemThatTellsWhereToGoOn() throws IOException {
        String good = GOOD.formatted("stalled");
        String answer = post("/events", "application/x-ndjson", chunk(good + "bad\n" + good + good.strip()) + STALLED);

        assertThat(answer)
                .startsWith("HTTP/1.1 408 ")
                .contains(
                        "Content-Type: application/problem+json",
                        "\"accepted\":2",
                        "\"errors\":[{\"line\":2,",
                        "\"sendAgainFromLine\":4");
        assertThat(processed("stalled")).isEqualTo(2);
    }

    @Test
    void anEventThatIsNotWholeIsNotAccepted() throws IOException {
        String events = "/clients/half/events";

        assertThat(post(events, "application/json", chunk(EVENT) + MALFORMED))
                .startsWith("HTTP/1.1 400 ")
                .contains("Content-Type: application/problem+json", "The event was not accepted.");
        assertThat(post(events, "application/json", chunk(EVENT) + STALLED))
                .startsWith("HTTP/1.1 408 ")
                .contains("Content-Type: application/problem+json", "The event was not accepted.");
        assertThat(new Http(port).get(events).status()).isEqualTo(404);
    }

    private long processed(String client) {
        return new Http(port).get("/clients/" + client + "/events?wait=20s").number("processed");
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    /** Posts a body as it stands, and returns all that is answered. */
    private String post(String path, String contentType, String body) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(20_000);
            String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + contentType
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n";
            socket.getOutputStream().write((head + body).getBytes(UTF_8));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
