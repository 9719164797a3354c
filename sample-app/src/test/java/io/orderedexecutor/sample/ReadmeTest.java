package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds README.md to its word. Its shell commands are run, in their order, against the application as it is; the
 * answers must be the JSON that it shows, one value for each, in which only white space may differ. Code and
 * configuration must stand, further indented or not, in the file that is named above it, but for the version.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ReadmeTest {
    /** Tests run in the directory of their module. */
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern BLOCK = Pattern.compile(
            "(?:<!-- from (?<file>\\S+) -->\n)?^```(?<language>\\w+)\n(?<text>.*?)^```$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern CURL = Pattern.compile("^curl ", Pattern.MULTILINE);
    private static final Pattern VERSION = Pattern.compile("^ *<version>(.*)</version>\n", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)]+)\\)");

    /** Much longer than any command takes, the ones that wait for 5 seconds among them. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @LocalServerPort
    int port;

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private record Block(String file, String language, String text) {}

    private static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(readme());
        while (matcher.find()) {
            String file = matcher.group("file");
            blocks.add(new Block(file == null ? "" : file, matcher.group("language"), matcher.group("text")));
        }
        return blocks;
    }

    @Test
    void commandsGiveTheAnswersThatAreShown() throws Exception {
        // a build needs a JDK and Maven, nothing else; where CI runs, curl is installed
        assumeFalse(
                run("command -v curl || true", LIMIT).isBlank(), "there is no curl to run the README's commands with");
        List<Block> blocks = blocks().stream()
                .filter(block -> block.language().equals("json") || block.text().startsWith("curl "))
                .toList();
        assertThat(blocks).extracting(Block::language).startsWith("sh", "json").hasSizeGreaterThanOrEqualTo(8);

        for (int i = 0; i < blocks.size(); i += 2) {
            Block command = blocks.get(i);
            Block answer = blocks.get(i + 1);
            assertThat(List.of(command.language(), answer.language()))
                    .as("a command and its answer: %s", command.text())
                    .containsExactly("sh", "json");

            String output = run(
                    "set -e\n"
                            + CURL.matcher(command.text())
                                    .replaceAll("curl -sS ")
                                    .replace("localhost:8080", "localhost:" + port),
                    LIMIT);

            List<JsonNode> answers = values(answer.text());
            assertThat(answers)
                    .as("an answer for each command of %s", command.text())
                    .hasSize((int) CURL.matcher(command.text()).results().count());
            assertThat(values(output)).as(command.text()).isEqualTo(answers);
        }
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
                .directory(ROOT.toFile())
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
        List<Block> code = blocks().stream()
                .filter(block -> !List.of("sh", "json").contains(block.language()))
                .toList();
        assertThat(code).extracting(Block::language).contains("xml", "java", "yaml");

        for (Block block : code) {
            String text = VERSION.matcher(block.text()).replaceAll("");
            assertThat(block.file()).as("where this is from: %s", block.text()).isNotEmpty();
            String file = Files.readString(ROOT.resolve(block.file()));
            assertThat(IntStream.rangeClosed(0, 16).mapToObj(indent -> indented(text, indent)))
                    .as("%s, at some indentation, in %s", text, block.file())
                    .anyMatch(file::contains);
        }
    }

    /** Empty lines stay empty. */
    private static String indented(String text, int indent) {
        return text.indent(indent).replaceAll("(?m)^ +$", "");
    }

    @Test
    void restIsTrue() throws IOException {
        String readme = readme();
        assertThat(readme.lines().count()).isLessThan(150);
        assertThat(readme).contains("\nmvn -pl sample-app -am spring-boot:run\n", "`mvn verify`");
        Matcher link = LINK.matcher(readme);
        while (link.find()) {
            assertThat(ROOT.resolve(link.group(1))).exists();
        }
    }

    /** What the modules of this project leave to their parent, a reader's project must state. */
    @Test
    void theDependencyThatIsShownHasTheVersionThatIsBuilt() throws IOException {
        Matcher built = VERSION.matcher(Files.readString(ROOT.resolve("sample-app/pom.xml")));
        assertThat(built.find()).as("the parent's version").isTrue();

        assertThat(blocks())
                .filteredOn(block -> block.language().equals("xml"))
                .isNotEmpty()
                .allSatisfy(block -> {
                    Matcher shown = VERSION.matcher(block.text());
                    assertThat(shown.find()).as("a version in %s", block.text()).isTrue();
                    assertThat(shown.group(1)).isEqualTo(built.group(1));
                });
    }
}
