package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The messages that docs/troubleshooting.md explains are those of the code, so that a search finds them. */
class TroubleshootingTest {
    private static final List<String> MODULES =
            List.of("ordered-executor-core", "ordered-executor-spring-boot-starter");

    /** In a row of a table, what is set as code in the first cell. */
    private static final Pattern MESSAGE = Pattern.compile("`([^`]+)`");

    /** Stands for a name or a value. */
    private static final Pattern NAME = Pattern.compile("…");

    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void messagesAreThoseOfTheCode() throws IOException {
        String sources = MODULES.stream()
                .map(module -> Page.ROOT.resolve(module).resolve("src/main/java"))
                .map(TroubleshootingTest::sourcesIn)
                .collect(Collectors.joining());
        List<String> messages = Page.read("docs/troubleshooting.md")
                .text()
                .lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(row -> MESSAGE.matcher(row.substring(0, row.indexOf('|', 1)))
                        .results()
                        .map(message -> message.group(1)))
                .flatMap(NAME::splitAsStream)
                .filter(part -> part.strip().contains(" ")) // else it is the name of a type
                .toList();

        assertThat(messages).hasSizeGreaterThan(30);
        assertThat(messages)
                .allSatisfy(message -> assertThat(sources.contains(message))
                        .as("'%s' stands in a source", message)
                        .isTrue());
    }

    private static String sourcesIn(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(TroubleshootingTest::literalsJoined)
                    .collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String literalsJoined(Path file) {
        try {
            return CONCATENATION.matcher(Files.readString(file)).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
