package io.orderedexecutor.sample.events;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Bodies that end badly. While their sender still listens, it must learn what was accepted. */
@SampleTest
@TestPropertySource(properties = "server.tomcat.connection-timeout=3s")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokenBodyTest {
    private static final String MALFORMED = "zz\r\n";
    private static final String STALLED = "";

    @LocalServerPort
    int port;

    @Autowired
    Http http;

    private FutureTask<String> answerToStalled;
    private FutureTask<String> answerToWhole;

    /** They are waited for twice as long as the timeout: at the same time, and while the other bodies are sent. */
    @BeforeAll
    void sendBodiesThatStall() {
        String good = deposit("stalled", 1);
        answerToStalled = new FutureTask<>(() -> post(chunk(good + "{}\n" + good + good.substring(0, 20)) + STALLED));
        answerToWhole = new FutureTask<>(() -> post(chunk(deposit("whole", 1).strip()) + STALLED));
        new Thread(answerToStalled).start();
        new Thread(answerToWhole).start();
    }

    @Test
    void malformedBodyIsAnsweredWithTheLineToGoOnFrom() throws IOException {
        String answer = post(chunk(deposit("malformed", 1)) + MALFORMED);

        assertThat(answer)
                .startsWith("HTTP/1.1 400 ")
                .contains("Content-Type: application/problem+json", "\"accepted\":1", "\"sendAgainFrom\":2");
        assertThat(processed("malformed")).isEqualTo(1);
    }

    @Test
    void stalledBodyIsAnsweredWithItsErrorsAndTheLineToGoOnFrom() throws Exception {
        assertThat(answerToStalled.get())
                .startsWith("HTTP/1.1 408 ")
                .contains(
                        "Content-Type: application/problem+json",
                        "The rest of the body could not be read.",
                        "\"accepted\":2",
                        "\"errors\":[{\"event\":2,",
                        "\"sendAgainFrom\":4");
        assertThat(processed("stalled")).isEqualTo(2);
    }

    @Test
    void bodyThatStallsBehindWholeEventIsGoneOnWithBehindThat() throws Exception {
        assertThat(answerToWhole.get()).startsWith("HTTP/1.1 408 ").contains("\"accepted\":1", "\"sendAgainFrom\":2");
        assertThat(processed("whole")).isEqualTo(1);
    }

    @Test
    void connectionThatBreaksLeavesOnlyWholeEventsAccepted() throws IOException {
        String good = deposit("gone", 1);
        try (Socket socket = new Socket("localhost", port)) {
            String request = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                    + "Content-Length: 1000\r\n\r\n" + good + good.substring(0, good.indexOf('}'));
            socket.getOutputStream().write(request.getBytes(UTF_8));
            socket.getOutputStream().flush();
            await().untilAsserted(() -> assertThat(processed("gone")).isEqualTo(1));
        }

        // What comes after it on another connection would be the third if the half event had been accepted.
        http.events("/events", good);
        assertThat(processed("gone")).isEqualTo(2);
    }

    private long processed(String client) {
        return http.finalStatement(client).number("processed");
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    /** Posts a body as it stands, and returns all that is answered. */
    private String post(String body) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(20_000);
            String head = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson"
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n";
            socket.getOutputStream().write((head + body).getBytes(UTF_8));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
