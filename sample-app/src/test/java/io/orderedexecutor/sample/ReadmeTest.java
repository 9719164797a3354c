package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.orderedexecutor.sample.fixtures.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds README.md to its word. Its shell commands are run, in their order, against the application as it is; the
 * answers must be the JSON that it shows, one value for each, in which only white space may differ. Code must stand,
 * further indented or not, in the file that is named above it, but for the version. What its example prints is compared
 * by {@link PastedReadmeTest}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ReadmeTest {
    private static final Pattern CURL = Pattern.compile("^curl ", Pattern.MULTILINE);

    /** Much longer than any command takes, the ones that wait for 5 seconds among them. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @LocalServerPort
    int port;

    @Autowired
    Database database;

    @TestConfiguration
    static class Fixtures {
        @Bean
        @Primary
        Database database() {
            return new Database();
        }
    }

    /** The database as it is; but a test can let the deposit of the README wait. */
    static class Database extends SimulatedDatabase {
        private volatile Callable<Boolean> depositIsNext = () -> true;

        @Override
        public void write(int amount) {
            if (amount == 500) {
                await().pollDelay(Duration.ZERO).atMost(LIMIT).until(depositIsNext);
            }
            super.write(amount);
        }

        void holdDepositUntil(Callable<Boolean> isNext) {
            depositIsNext = isNext;
        }
    }

    private static Page readme() throws IOException {
        return Page.read("README.md");
    }

    @Test
    void commandsGiveTheAnswersThatAreShown() throws Exception {
        // a build needs a JDK and Maven, nothing else; where CI runs, curl is installed
        assumeFalse(
                run("command -v curl || true", LIMIT).isBlank(), "there is no curl to run the README's commands with");
        List<Page.Block> blocks = readme().blocks().stream()
                .filter(block -> block.language().equals("json") || block.text().startsWith("curl "))
                .toList();
        assertThat(blocks).extracting(Page.Block::language).startsWith("sh", "json");

        for (int i = 0; i < blocks.size(); i += 2) {
            Page.Block command = blocks.get(i);
            Page.Block answer = blocks.get(i + 1);
            assertThat(List.of(command.language(), answer.language()))
                    .as("a command and its answer: %s", command.text())
                    .containsExactly("sh", "json");

            String output = output(command, "localhost:" + port);

            List<JsonNode> answers = values(answer.text());
            assertThat(answers)
                    .as("an answer for each command of %s", command.text())
                    .hasSize((int) CURL.matcher(command.text()).results().count());
            assertThat(values(output)).as(command.text()).isEqualTo(answers);
        }
    }

    @Test
    void theSameRequestsInNoOrderGiveAnotherAnswer() throws Exception {
        assumeFalse(
                run("command -v curl || true", LIMIT).isBlank(), "there is no curl to run the README's commands with");
        Page.Block commands = readme().blocks().stream()
                .filter(block -> block.text().startsWith("curl "))
                .findFirst()
                .orElseThrow();

        // the withdrawal takes 480 ms less, but a slow machine may take as much longer to begin it
        Http http = new Http(port);
        database.holdDepositUntil(
                () -> http.get("/unordered/clients/alice/events?wait=0s").number("processed") == 1);
        JsonNode client;
        try {
            client =
                    values(output(commands, "localhost:" + port + "/unordered")).get(1);
        } finally {
            database.holdDepositUntil(() -> true);
        }

        assertThat(client.findValuesAsString("type")).containsExactly("withdrawal", "deposit");
        assertThat(client.findValuesAsString("result")).containsExactly("declined", "booked");
    }

    private static String output(Page.Block commands, String base) throws IOException, InterruptedException {
        return run(
                "set -e\n"
                        + CURL.matcher(commands.text()).replaceAll("curl -sS ").replace("localhost:8080", base),
                LIMIT);
    }

    /** Commands of one block have their answers one after the other. */
    private static List<JsonNode> values(String json) {
        return JsonMapper.shared()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(json)
                .readAll();
    }

    @Test
    void aCommandThatFailsOrDoesNotEndIsNoticed() {
        assertThatThrownBy(() -> run("echo half an answer; exit 3", LIMIT))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit code");
        assertTimeoutPreemptively(
                LIMIT,
                () -> assertThatThrownBy(() -> run("echo half an answer; exec sleep 60", Duration.ofMillis(200)))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("has ended"));
    }

    /** Returns what a command writes. It goes through a file: reading a pipe to its end would wait without a limit. */
    private static String run(String command, Duration limit) throws IOException, InterruptedException {
        Path output = Files.createTempFile("readme", ".out");
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(Page.ROOT.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS))
                    .as("'%s' has ended", command)
                    .isTrue();
            assertThat(process.exitValue()).as("exit code of '%s'", command).isZero();
            return Files.readString(output);
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    @Test
    void codeIsCopiedFromWhatIsCompiled() throws IOException {
        List<Page.Block> code = readme().blocks().stream()
                .filter(block -> !List.of("sh", "json", "text", "groovy").contains(block.language()))
                .toList();
        assertThat(code).extracting(Page.Block::language).contains("xml", "java");

        for (Page.Block block : code) {
            block.assertStandsInItsFile();
        }
    }

    @Test
    void restIsTrue() throws IOException {
        String text = readme().text();
        assertThat(text.lines().count()).isLessThan(150);
        assertThat(text).contains("\nmvn -pl sample-app -am spring-boot:run\n", "`mvn verify`");
    }
}
