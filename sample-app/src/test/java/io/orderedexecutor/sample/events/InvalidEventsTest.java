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
                    {"client":"x","type":"deposit","amount":1,"colour":"red"} | colour: is not a field of an event; leave it out or correct its name
                    {"colour":[{"a":[1,2]},"}"],"client":"x"}                 | colour: is not a field of an event; leave it out or correct its name
                    {"type":"deposit","amount":1}                             | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":" ","type":"deposit","amount":1}                | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":"..","type":"deposit","amount":1}               | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":"a/b","type":"deposit","amount":1}              | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":7,"type":"deposit","amount":1}                  | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":null,"type":"deposit","amount":1}               | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":{"name":"x"},"type":"deposit","amount":1}       | client: must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit
                    {"client":"x","type":"loan","amount":1}                   | type: must be "deposit" or "withdrawal"
                    {"client":"x","type":"DEPOSIT","amount":1}                | type: must be "deposit" or "withdrawal"
                    {"client":"x","type":"","amount":1}                       | type: must be "deposit" or "withdrawal"
                    {"client":"x","type":0,"amount":1}                        | type: must be "deposit" or "withdrawal"
                    {"client":"x","amount":1}                                 | type: must be "deposit" or "withdrawal"
                    {"client":"x","type":"deposit"}                           | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":0}                | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":-5}               | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":1001}             | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":"1"}              | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":""}               | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":true}             | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":1.5}              | amount: must be a whole number from 1 to 1000
                    {"client":"x","type":"deposit","amount":99999999999}      | amount: must be a whole number from 1 to 1000
                    ["x","deposit",1]                                         | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    []                                                        | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    "deposit"                                                 | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    ""                                                        | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    7                                                         | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    null                                                      | is not a JSON object such as {"client":"alice","type":"deposit","amount":5}
                    """)
    void invalidEventBetweenTwoGoodOnesIsListedWithItsLineAndHoldsUpNeither(String invalid, String error) {
        String client = "valid-" + Integer.toHexString(invalid.hashCode());

        Http.Answer answer = http.events("/events", deposit(client, 1) + invalid + "\n" + deposit(client, 1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("2 " + error);
        assertThat(answer.text("detail"))
                .isEqualTo("The lines listed under 'errors' were not accepted. All other events (2) were accepted and"
                        + " will be processed. Correct the listed lines, and send only those again.");
        assertThat(answer.json().has("sendAgainFromLine")).isFalse();
        assertAccepted(answer, client, 2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"client":"x","type":"deposit","amount":1,"amount":2} | is not JSON: Duplicate Object property "amount" near line 3, column 51
                    {"client":"x","type":"deposit","amount":}             | is not JSON: Unexpected character near line 3, column 41
                    {"client":"x","type":"deposit"                        | is not JSON: Unexpected character near line 4, column 1
                    {"client":"x","type":"deposit","amount":              | is not JSON: Unexpected character near line 5, column 1
                    {"client":"x                                          | is not JSON: Illegal unquoted character near line 3, column 13
                    deposit                                               | is not JSON: Unrecognized token 'deposit' near line 3, column 1
                    }                                                     | is not JSON: Unexpected close marker '}' near line 3, column 1
                    """)
    void lineThatIsNotJsonIsListedAndEndsTheReading(String broken, String error) {
        String client = "broken-" + Integer.toHexString(broken.hashCode());
        String good = deposit(client, 1);

        Http.Answer answer = http.events("/events", good + "\n" + broken.strip() + "\n" + good + good);

        assertProblem(answer, 400);
        assertThat(errors(answer)).singleElement().asString().startsWith("3 " + error);
        assertThat(answer.number("sendAgainFromLine")).isEqualTo(3);
        assertThat(answer.text("detail"))
                .isEqualTo("The body could not be read to its end. Nothing from line 3 on was accepted, nor"
                        + " were the lines listed under 'errors'. All other events (1) were accepted and will be"
                        + " processed. Correct"
                        + " the listed lines, and send those and all from line 3 on again.");
        assertAccepted(answer, client, 1);
    }

    /** What the parser says of its own settings is of no use to a sender. */
    @ParameterizedTest
    @ValueSource(strings = {"depth", "string", "name", "number", "line", "megabytes"})
    void eventThatIsTooLargeIsListedAndEndsTheReading(String what) {
        String large = switch (what) {
            case "depth" -> "[".repeat(21) + "]".repeat(21);
            case "string" -> "{\"client\":\"" + "x".repeat(1001) + "\"}";
            case "name" -> "{\"" + "x".repeat(101) + "\":1}";
            case "number" -> "{\"amount\":" + "1".repeat(101) + "}";
            case "line" -> "1".repeat(5_000);
            default -> "{\"client\":\"" + "x".repeat(5_000_000) + "\"}";
        };

        Http.Answer answer = http.events("/events", deposit(what, 1) + large + "\n" + deposit(what, 1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("2 has a name or value that is too long, or is nested too deeply");
        assertThat(answer.number("sendAgainFromLine")).isEqualTo(2);
        assertAccepted(answer, what, 1);
    }

    @Test
    void lineThatIsNotUtf8IsListedAndEndsTheReading() {
        Http.Answer answer = http.post(
                "/events",
                "application/x-ndjson",
                (deposit("zo", 1) + "\n" + deposit("zo\u00eb", 1)).getBytes(ISO_8859_1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).singleElement().asString().startsWith("3 is not JSON: Invalid UTF-8");
        assertAccepted(answer, "zo", 1);
    }

    @Test
    void eventWithSeveralWrongFieldsIsListedWithAllOfThem() {
        Http.Answer answer = http.events("/events", "{\"amount\":-5}");

        assertThat(errors(answer))
                .extracting(error -> error.substring(0, error.indexOf(':')))
                .containsExactly("1 client", "1 type", "1 amount");
    }

    @Test
    void eventBehindAnotherOnTheSameLineIsNotAccepted() {
        String good = deposit("twice", 1);

        Http.Answer answer = http.events("/events", good.strip() + " " + good.strip() + " 7 {}\n" + good);

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("1 stands behind another event; give each a line of its own");
        assertAccepted(answer, "twice", 2);
    }

    @Test
    void garbageBehindAnEventIsListedAndTheEventIsNotToBeSentAgain() {
        Http.Answer answer = http.events("/events", deposit("tail", 1).strip() + " x\n" + deposit("tail", 1));

        assertProblem(answer, 400);
        assertThat(errors(answer)).containsExactly("1 is not JSON: Unrecognized token 'x' near line 1, column 47");
        assertThat(answer.number("sendAgainFromLine")).isEqualTo(2);
        assertAccepted(answer, "tail", 1);
    }

    /** A line that is cut off may swallow the ones after it: they are not accepted, and the answer says so. */
    @Test
    void invalidEventOfSeveralLinesIsListedWithItsFirstAndItsLast() {
        String good = deposit("swallow", 1);

        Http.Answer answer = http.events("/events", good + "{\"client\":\"x\",\"amount\":\n" + good + "}\n" + good);

        assertProblem(answer, 400);
        assertThat(errors(answer))
                .containsExactly("2 amount: must be a whole number from 1 to 1000 (the event ends on line 4)");
        assertAccepted(answer, "swallow", 2);
    }

    @Test
    void eventOfSeveralLinesIsAccepted() {
        Http.Answer answer = http.post(
                "/events",
                "application/json",
                "{\n \"client\": \"pretty\",\n \"type\": \"deposit\",\n \"amount\": 1\n}\n".getBytes(UTF_8));

        assertThat(answer.status()).isEqualTo(202);
        assertAccepted(answer, "pretty", 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void lineEndsOfAnySystemAreCountedOnce(String lineEnd) {
        String client = "end-" + lineEnd.hashCode();
        String lines = "\n" + deposit(client, 1) + "\n \n{}\n" + deposit(client, 1);

        Http.Answer answer = http.events("/events", lines.replace("\n", lineEnd));

        assertProblem(answer, 400);
        assertThat(errors(answer)).hasSize(3).allMatch(error -> error.startsWith("5 "));
        assertAccepted(answer, client, 2);
    }

    @Test
    void byteOrderMarkIsSkippedAtTheBeginningOnly() {
        assertThat(http.events("/events", "\ufeff" + deposit("bom", 1)).number("accepted"))
                .isEqualTo(1);

        Http.Answer answer = http.events("/events", deposit("bom", 1) + "\ufeff" + deposit("bom", 1));

        assertThat(errors(answer)).singleElement().asString().startsWith("2 is not JSON");
        assertThat(http.finalStatement("bom").number("processed")).isEqualTo(2);
    }

    /** The answer reaches the sender although most of the body is never read. */
    @Test
    void afterTooManyErrorsTheRestIsNotRead() {
        String good = deposit("many", 1);

        Http.Answer answer = http.events("/events", good + "{}\n".repeat(Bulk.MAX_ERRORS) + good.repeat(200_000));

        assertProblem(answer, 400);
        long from = answer.number("sendAgainFromLine");
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

    /** The errors as "line field: reason", or "line reason". */
    private static List<String> errors(Http.Answer answer) {
        List<String> errors = new ArrayList<>();
        answer.json().path("errors").forEach(error -> {
            String field = error.path("field").asString("");
            errors.add(error.path("line").asInt() + " " + (field.isEmpty() ? "" : field + ": ")
                    + error.path("reason").asString());
        });
        return errors;
    }
}
