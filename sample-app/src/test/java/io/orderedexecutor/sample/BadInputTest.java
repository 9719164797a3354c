package io.orderedexecutor.sample;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.TypeMismatchException;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.ServletWebRequest;

@SampleTest
class BadInputTest {
    private static final String GOOD = "{\"client\":\"%s\",\"type\":\"deposit\",\"coins\":1}\n";

    @LocalServerPort
    int port;

    Http http;

    @BeforeEach
    void begin() {
        http = new Http(port);
    }

    /** A bad line between two good ones: these are processed, once, and the answer names the bad one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"client":"x","type":"deposit","coins":1,"colour":"red"} | colour: is no field of an event; leave it out or correct its name
                    {"type":"deposit","coins":1}                             | client: must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit
                    {"client":" ","type":"deposit","coins":1}                | client: must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit
                    {"client":"..","type":"deposit","coins":1}               | client: must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit
                    {"client":7,"type":"deposit","coins":1}                  | client: must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit
                    {"client":null,"type":"deposit","coins":1}               | client: must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit
                    {"client":"x","type":"loan","coins":1}                   | type: must be "deposit" or "withdrawal"
                    {"client":"x","coins":1}                                 | type: must be "deposit" or "withdrawal"
                    {"client":"x","type":"deposit"}                          | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":0}                | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":1001}             | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":"1"}              | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":1.5}              | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":99999999999}      | coins: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","coins":1,"coins":2}      | is not JSON, look at column 49: Duplicate Object property "coins"
                    {"client":"x","type":"deposit","coins":                  | is not JSON, look at column 40: Unexpected end-of-input within/between Object entries
                    {"client":"x","type":"deposit","coins":1} {}             | is not JSON, look at column 43: Trailing token
                    deposit                                                  | is not JSON, look at column 1: Unrecognized token 'deposit'
                    ["x","deposit",1]                                        | is not a JSON object; send one such as {"type":"deposit","coins":5}
                    """)
    void aBadLineIsNamedAndHoldsUpNoOther(String badLine, String problem) {
        String client = "good-" + Integer.toHexString(badLine.hashCode());

        Http.Answer answer = http.bulk("/events", GOOD.formatted(client) + badLine + "\n" + GOOD.formatted(client));

        assertProblem(answer, 400);
        assertThat(problems(answer)).singleElement().asString().startsWith("2 " + problem);
        assertThat(answer.number("accepted")).isEqualTo(2);
        assertThat(http.get("/clients/" + client + "/events?wait=20s").number("processed"))
                .isEqualTo(2);
    }

    @Test
    void aLineMayBeAsLongAsTheLimitAndNoLonger() {
        String good = GOOD.formatted("limit").strip();

        Http.Answer answer =
                http.bulk("/events", padded(good, 1024) + "\n" + padded(good, 1025) + "\n" + padded(good, 5_000_000));

        assertProblem(answer, 400);
        assertThat(problems(answer))
                .containsExactly(
                        "2 is longer than 1024 bytes; leave out what an event does not need",
                        "3 is longer than 1024 bytes; leave out what an event does not need");
        assertThat(answer.number("accepted")).isEqualTo(1);
    }

    private static String padded(String json, int length) {
        return json + " ".repeat(length - json.length());
    }

    @Test
    void aLineThatIsNotUtf8IsNamed() {
        Http.Answer answer = http.post(
                "/events", "application/x-ndjson", (GOOD.formatted("zo") + "\n\u00eb\n").getBytes(ISO_8859_1));

        assertProblem(answer, 400);
        assertThat(problems(answer)).containsExactly("3 is not UTF-8; send JSON in this encoding");
        assertThat(answer.number("accepted")).isEqualTo(1);
    }

    @Test
    void deeplyNestedInputIsRefusedLikeAnyOther() {
        Http.Answer answer = http.bulk("/events", "[".repeat(1000) + "\n" + GOOD.formatted("nest"));

        assertProblem(answer, 400);
        assertThat(problems(answer)).singleElement().asString().startsWith("1 is not JSON: Document nesting depth");
        assertThat(answer.number("accepted")).isEqualTo(1);
    }

    @Test
    void allFieldsOfALineAreNamed() {
        Http.Answer answer = http.bulk("/events", "{\"kind\":\"deposit\"}");

        assertThat(problems(answer))
                .extracting(problem -> problem.substring(0, problem.indexOf(':')))
                .containsExactly("1 kind", "1 client", "1 type", "1 coins");
    }

    @Test
    void blankLinesAndOtherLineEndsDoNotCount() {
        Http.Answer answer =
                http.bulk("/events", "\r\n" + GOOD.formatted("crlf").replace("\n", "\r\n") + "\n \n");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.number("accepted")).isEqualTo(1);
    }

    /**
     * JSON parsers count a carriage return as the end of a line, a bulk does not: the good line must not be sent again.
     */
    @Test
    void aCarriageReturnDoesNotCountAsALine() {
        Http.Answer answer = http.bulk("/events", "\r\r\r{bad\n" + GOOD.formatted("cr"));

        assertProblem(answer, 400);
        assertThat(problems(answer)).singleElement().asString().startsWith("1 is not JSON, look at column 5:");
        assertThat(answer.number("accepted")).isEqualTo(1);
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(http.bulk("/events", "\ufeff" + GOOD.formatted("bom")).number("accepted"))
                .isEqualTo(1);
        assertThat(http.event("/clients/bom/events", "\ufeff{\"type\":\"deposit\",\"coins\":1}")
                        .number("number"))
                .isEqualTo(2);
        assertThat(problems(http.bulk("/events", GOOD.formatted("bom") + "\ufeff" + GOOD.formatted("bom"))))
                .singleElement()
                .asString()
                .startsWith("2 is not JSON");
    }

    /** What the parser tells about its own classes and settings is of no use to who sent the line. */
    @ParameterizedTest
    @MethodSource
    void theInsidesOfTheParserAreNotTold(String badLine, String problem) {
        assertThat(problems(http.bulk("/events", badLine))).containsExactly(problem);
    }

    static Stream<Arguments> theInsidesOfTheParserAreNotTold() {
        return Stream.of(
                Arguments.of("{} {}", "1 is not JSON, look at column 4: Trailing token"),
                Arguments.of(
                        "[".repeat(1000),
                        "1 is not JSON: Document nesting depth (501) exceeds the maximum allowed (500)"),
                Arguments.of(
                        "{\"coins\":" + "1".repeat(1001) + "}",
                        "1 is not JSON: Number value length (1001) exceeds the maximum allowed (1000)"),
                Arguments.of(
                        "{\"coins\":",
                        "1 is not JSON, look at column 10: Unexpected end-of-input within/between Object entries"));
    }

    /** The answer reaches the sender although most of the bulk is never looked at. */
    @Test
    void afterTooManyBadLinesTheRestIsNotLookedAt() {
        String bad = "{}\n".repeat(Bulk.MAX_ERRORS);

        Http.Answer answer = http.bulk(
                "/events", GOOD.formatted("many") + bad + GOOD.formatted("many").repeat(200_000));

        assertProblem(answer, 400);
        assertThat(answer.number("accepted")).isEqualTo(1);
        long from = answer.number("sendAgainFromLine");
        assertThat(problems(answer)).last().asString().startsWith(from - 1 + " ");
        assertThat(http.get("/clients/many/events?wait=20s").number("processed"))
                .isEqualTo(1);
    }

    @Test
    void anEmptyBulkIsNoBulk() {
        assertDetail(http.bulk("/events", ""), 400, "The body is empty: send one event a line, such as {");
        assertDetail(http.bulk("/events", "\n\n"), 400, "The body is empty: send one event a line, such as {");
    }

    @Test
    void anotherContentTypeIsRefused() {
        assertDetail(
                http.post("/events", "application/json", GOOD.getBytes(UTF_8)),
                415,
                "Nothing was accepted. Send application/x-ndjson and name it in the header Content-Type.");
        assertDetail(
                http.post("/clients/x/events", "application/x-www-form-urlencoded", GOOD.getBytes(UTF_8)),
                415,
                "Nothing was accepted. Send application/json and name it in the header Content-Type.");
    }

    /** Whoever gets no answer that it can read sends again, so nothing may have been accepted. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/unordered"})
    void anAnswerThatWouldNotBeReadIsRefusedBeforeAnythingIsAccepted(String mode) {
        String events = mode + "/clients/xml/events";

        assertProblem(
                http.post(
                        mode + "/events",
                        "application/x-ndjson",
                        "application/xml",
                        GOOD.formatted("xml").getBytes(UTF_8)),
                406);
        assertProblem(
                http.post(
                        events,
                        "application/json",
                        "application/xml",
                        "{\"type\":\"deposit\",\"coins\":1}".getBytes(UTF_8)),
                406);

        assertDetail(http.get(events), 404, "Nothing is known of this client.");
    }

    @Test
    void aSingleEventIsCheckedLikeALine() {
        String events = "/clients/single/events";

        Http.Answer answer = http.event(events, "{\n\"type\": \"deposit\",\n\"coins\": }");
        assertDetail(answer, 400, "The event was not accepted. Mend it and send it again.");
        assertThat(problems(answer)).singleElement().asString().startsWith("3 is not JSON, look at column 10:");

        assertThat(problems(http.event(events, "{\"client\":\"x\",\"type\":\"deposit\",\"coins\":1}")))
                .containsExactly("client: is in the path already; leave the field out");
        assertThat(problems(http.event(events, "{\n\"type\":\"deposit\",\n\"coins\":0}")))
                .containsExactly("coins: must be a whole number from 1 to 1000");
        assertThat(problems(http.event("/clients/%20/events", "{\"type\":\"deposit\",\"coins\":1}")))
                .singleElement()
                .asString()
                .startsWith("client: must be");
        assertThat(problems(http.event(events, "\n".repeat(2000))))
                .containsExactly("is longer than 1024 bytes; leave out what an event does not need");
        assertDetail(http.event(events, ""), 400, "The body is empty: send an event, such as {");
        assertThat(http.get(events).status()).isEqualTo(404);
    }

    @Test
    void whatCannotBeReadIsAProblemToo() {
        assertDetail(http.get("/clients/nobody/events"), 404, "Nothing is known of this client.");
        assertDetail(http.get("/clients/nobody/events?wait=long"), 400, "'wait' must be such as 5s or 500ms.");
        assertDetail(http.get("/clients/nobody/events?wait=1m"), 400, "'wait' must be from 0s to 20s.");
        assertProblem(http.get("/nothing"), 404);
        assertProblem(http.get("/error"), 404);
    }

    @Test
    void onlyADurationIsToldHowADurationIsWritten() {
        var request = new ServletWebRequest(new MockHttpServletRequest());
        var mismatch = new TypeMismatchException("many", Integer.class);

        var answer = new Problems().handleTypeMismatch(mismatch, new HttpHeaders(), HttpStatus.BAD_REQUEST, request);

        assertThat(answer).isNotNull();
        assertThat(answer.getBody())
                .isInstanceOfSatisfying(
                        ProblemDetail.class,
                        problem ->
                                assertThat(problem.getDetail()).contains("many").doesNotContain("5s"));
    }

    @Test
    void theRootSaysWhereToGo() {
        Http.Answer answer = http.get("/");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().toString())
                .isEqualTo("{\"ordered\":\"/events\",\"unordered\":\"/unordered/events\",\"transfers\":\"/transfers\","
                        + "\"executors\":\"/actuator/orderedexecutors\",\"metrics\":\"/actuator/metrics\"}");
        assertThat(http.get(answer.text("executors")).status()).isEqualTo(200);
        assertThat(http.get(answer.text("metrics")).status()).isEqualTo(200);
    }

    /** A line that was cut off may look complete, and must not be taken for it. */
    @Test
    void ifTheConnectionBreaksOnlyWholeLinesAreAccepted() throws IOException {
        String line = GOOD.formatted("broken");
        try (Socket socket = new Socket("localhost", port)) {
            String request = "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                    + "Content-Length: 1000\r\n\r\n" + line + line.strip();
            socket.getOutputStream().write(request.getBytes(UTF_8));
            socket.getOutputStream().flush();
            await().untilAsserted(() -> assertThat(
                            http.get("/clients/broken/events?wait=1s").number("processed"))
                    .isEqualTo(1));
        }

        // What comes after it on another connection has the next number: the half line has none.
        http.event("/clients/broken/events", "{\"type\":\"deposit\",\"coins\":1}");
        assertThat(http.get("/clients/broken/events?wait=20s").number("processed"))
                .isEqualTo(2);
    }

    private static void assertDetail(Http.Answer answer, int status, String detail) {
        assertProblem(answer, status);
        assertThat(answer.text("detail")).startsWith(detail);
    }

    private static void assertProblem(Http.Answer answer, int status) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.number("status")).isEqualTo(status);
    }

    /** The errors as "line field: reason"; a single event has no line where the whole is meant. */
    private static List<String> problems(Http.Answer answer) {
        List<String> problems = new ArrayList<>();
        answer.json().path("errors").forEach(error -> {
            String field = error.path("field").asString("");
            problems.add((error.has("line") ? error.path("line").asInt() + " " : "")
                    + (field.isEmpty() ? "" : field + ": ")
                    + error.path("reason").asString());
        });
        return problems;
    }
}
