package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds README.md to its word. Its shell commands are run, in their order, against the application as it is; the answers must
 * be the JSON that it shows, in which only white space may differ. Code and configuration must stand, further indented or
 * not, in the file that is named above it.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ReadmeTest {
    /** Tests run in the directory of their module. */
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern BLOCK = Pattern.compile(
            "(?:<!-- from (?<file>\\S+) -->\n)?^```(?<language>\\w+)\n(?<text>.*?)^```$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)]+)\\)");

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
        assumeTrue(run("command -v curl").exitCode() == 0, "there is no curl to run the commands with");
        List<Block> blocks = blocks().stream()
                .filter(block -> block.language().equals("json") || block.text().startsWith("curl "))
                .toList();
        assertThat(blocks).extracting(Block::language).startsWith("sh", "json").hasSizeGreaterThanOrEqualTo(10);

        for (int i = 0; i < blocks.size(); i += 2) {
            Block command = blocks.get(i);
            Block answer = blocks.get(i + 1);
            assertThat(List.of(command.language(), answer.language()))
                    .as("a command and its answer: %s", command.text())
                    .containsExactly("sh", "json");

            Result result = run("curl -sS "
                    + command.text().substring("curl ".length()).replace("localhost:8080", "localhost:" + port));

            assertThat(JsonMapper.shared().readTree(result.output()))
                    .as(command.text())
                    .isEqualTo(JsonMapper.shared().readTree(answer.text()));
        }
    }

    private record Result(int exitCode, String output) {}

    private static Result run(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(ROOT.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS))
                .as("'%s' has ended", command)
                .isTrue();
        return new Result(process.exitValue(), output);
    }

    @Test
    void codeIsCopiedFromWhatIsCompiled() throws IOException {
        List<Block> code = blocks().stream()
                .filter(block -> !List.of("sh", "json").contains(block.language()))
                .toList();
        assertThat(code).extracting(Block::language).contains("xml", "java", "yaml");

        for (Block block : code) {
            assertThat(block.file()).as("where this is from: %s", block.text()).isNotEmpty();
            String file = Files.readString(ROOT.resolve(block.file()));
            assertThat(IntStream.rangeClosed(0, 16).mapToObj(block.text()::indent))
                    .as("%s, at some indentation, in %s", block.text(), block.file())
                    .anyMatch(file::contains);
        }
    }

    @Test
    void restIsTrue() throws IOException {
        String readme = readme();
        assertThat(readme.lines().count()).isLessThan(150);
        assertThat(readme).contains("\nmvn -pl sample-app -am spring-boot:run\n", "`mvn verify`");
        assertThat(Files.readString(ROOT.resolve("sample-app/pom.xml")))
                .contains("<version>" + textBetween(readme, "Its version is `", "`") + "</version>");
        Matcher link = LINK.matcher(readme);
        while (link.find()) {
            assertThat(ROOT.resolve(link.group(1))).exists();
        }
    }

    private static String textBetween(String text, String before, String after) {
        int from = text.indexOf(before) + before.length();
        return text.substring(from, text.indexOf(after, from));
    }
}
