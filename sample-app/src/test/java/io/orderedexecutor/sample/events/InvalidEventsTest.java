package io.orderedexecutor.sample.events;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Events that are not accepted: the answer says which, and why; those that are, are processed once. */
@SampleTest
class InvalidEventsTest {

    @Autowired
    Http http;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"client":"x","type":"deposit","amount":1,"colour":"red"} | colour: is not as in an event
                    {"colour":[{"a":[1]},"}"],"client":"x","type":"deposit","amount":1} | colour: is not as in an event
                    {"type":"deposit","amount":1}                             | client: must not be null
                    {"client":null,"type":"deposit","amount":1}               | client: must not be null
                    {"client":" ","type":"deposit","amount":1}                | client: must be 1 to 64 letters, digits
                    {"client":"..","type":"deposit","amount":1}               | client: must be 1 to 64 letters, digits
                    {"client":"a/b","type":"deposit","amount":1}              | client: must be 1 to 64 letters, digits
                    {"client":{"name":"x"},"type":"deposit","amount":1}       | client: is not as in an event
                    {"client":"x","type":"loan","amount":1}                   | type: is not as in an event
                    {"client":"x","type":"DEPOSIT","amount":1}                | type: is not as in an event
                    {"client":"x","amount":1}                                 | type: must not be null
                    {"client":"x","type":"deposit","amount":0}                | amount: must be greater than or equal to 1
                    {"client":"x","type":"deposit","amount":-5}               | amount: must be greater than or equal to 1
                    {"client":"x","type":"deposit","amount":1001}             | amount: must be less than or equal to 1000
                    {"client":"x","type":"deposit","amount":"much"}           | amount: is not as in an event
                    {"client":"x","type":"deposit","amount":true}             | amount: is not as in an event
                    {"client":"x","type":"deposit","amount":99999999999}      | amount: is not as in an event
                    ["x","deposit",1]                                         | is not as in an event
                    []                                                        | is not as in an event
                    "deposit"                                                 | is not as in an event
                    7                                                         | is not as in an event
                    null                                                      | is not as in an event
                    """)
    void invalidEventBetweenTwoGoodOnesIsListedWithItsPlaceAndHoldsUpNeither(String invalid, String error) {
        String client = "valid-" + Integer.toHexString(invalid.hashCode());

        Http.Answer answer = http.events("/events", deposit(client, 1) + invalid + "\n" + deposit(client, 1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).singleElement().asString().startsWith("2 " + error);
        assertThat(answer.text("detail"))
                .isEqualTo(
                        "The events listed under 'errors' were not accepted. All others (2) were accepted and will be"
                                + " processed. Correct the listed ones, and send only those again.");
        assertThat(answer.json().has("sendAgainFrom")).isFalse();
        assertAccepted(answer, client, 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"client\":\"x\",\"type\":\"deposit\",\"amount\":}",
                "{\"client\":\"x\",\"type\":\"deposit\"",
                "{\"client\":\"x",
                "deposit",
                "}",
                "\ufeff{}"
            })
    void whatIsNotJsonIsListedAndEndsTheReading(String broken) {
        String client = "broken-" + Integer.toHexString(broken.hashCode());
        String good = deposit(client, 1);

        Http.Answer answer = http.events("/events", good + broken + "\n" + good + good);

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("2 is not JSON");
        assertThat(answer.number("sendAgainFrom")).isEqualTo(2);
        assertThat(answer.text("detail"))
                .isEqualTo("The body could not be read to its end. No event from number 2 on was accepted, nor were"
                        + " those listed under 'errors'. All others (1) were accepted and will be processed. Correct"
                        + " the listed ones, and send those and all from number 2 on again.");
        assertAccepted(answer, client, 1);
    }

    @Test
    void whatIsNotUtf8IsListedAndEndsTheReading() {
        Http.Answer answer = http.post(
                "/events",
                "application/x-ndjson",
                (deposit("zo", 1) + "\n" + deposit("zo\u00eb", 1)).getBytes(ISO_8859_1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("2 is not JSON");
        assertAccepted(answer, "zo", 1);
    }

    @Test
    void eventWithSeveralWrongFieldsIsListedWithAllOfThem() {
        Http.Answer answer = http.events("/events", "{\"amount\":-5}");

        assertThat(errors(answer))
                .extracting(error -> error.substring(0, error.indexOf(':')))
                .containsExactlyInAnyOrder("1 client", "1 type", "1 amount");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\n \"client\": \"pretty\",\n \"type\": \"deposit\",\n \"amount\": 1\n}\n",
                "[{\"client\":\"pretty\",\"type\":\"deposit\",\"amount\":1}]"
            })
    void oneEventMayHaveSeveralLinesAndAllMayBeAnArray(String body) {
        long before = http.finalStatement("pretty").number("processed");

        Http.Answer answer = http.post("/events", "application/json", body.getBytes(UTF_8));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.number("accepted")).isEqualTo(1);
        assertThat(http.finalStatement("pretty").number("processed")).isEqualTo(Math.max(before, 0) + 1);
    }

    /** The answer reaches the sender although most of the body is never read. */
    @Test
    void afterTooManyErrorsTheRestIsNotRead() {
        String good = deposit("many", 1);

        Http.Answer answer = http.events("/events", good + "{}\n".repeat(Bulk.MAX_ERRORS) + good.repeat(200_000));

        assertProblem(answer, 400);
        long from = answer.number("sendAgainFrom");
        assertThat(errors(answer)).last().asString().startsWith(from - 1 + " ");
        assertAccepted(answer, "many", 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n"})
    void bodyWithoutEventsIsRefused(String body) {
        Http.Answer answer = http.events("/events", body);

        assertProblem(answer, 400);
        assertThat(answer.text("detail"))
                .isEqualTo("The body is empty. Send one event on each line, such as"
                        + " {\"client\":\"alice\",\"type\":\"deposit\",\"amount\":5}");
    }

    @Test
    void bodyOfAnotherContentTypeIsRefused() {
        Http.Answer answer = http.post(
                "/events",
                "application/x-www-form-urlencoded",
                deposit("form", 1).getBytes(UTF_8));

        assertProblem(answer, 415);
        assertThat(answer.text("detail"))
                .isEqualTo("Nothing was accepted, since the content type application/x-www-form-urlencoded is not"
                        + " supported. Send [application/x-ndjson, application/json] and name it in the "
                        + "header Content-Type.");
    }

    /** A sender that gets no answer it can read sends again, so nothing may have been accepted. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/unordered"})
    void senderThatWouldNotReadTheAnswerIsRefusedBeforeAnythingIsAccepted(String bank) {
        assertProblem(
                http.post(
                        bank + "/events",
                        "application/x-ndjson",
                        "application/xml",
                        deposit("xml", 1).getBytes(UTF_8)),
                406);

        assertProblem(http.get(bank + "/clients/xml/events"), 404);
    }

    private void assertAccepted(Http.Answer answer, String client, int events) {
        assertThat(answer.number("accepted")).isEqualTo(events);
        Http.Answer statement = http.finalStatement(client);
        assertThat(statement.number("pending")).isZero();
        assertThat(statement.number("processed")).isEqualTo(events);
    }

    private static void assertProblem(Http.Answer answer, int status) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.number("status")).isEqualTo(status);
    }

    /** The errors as "event field: reason", or "event reason". */
    private static List<String> errors(Http.Answer answer) {
        List<String> errors = new ArrayList<>();
        answer.json().path("errors").forEach(error -> {
            String field = error.path("field").asString("");
            errors.add(error.path("event").asInt() + " " + (field.isEmpty() ? "" : field + ": ")
                    + error.path("reason").asString());
        });
        return errors;
    }
}
