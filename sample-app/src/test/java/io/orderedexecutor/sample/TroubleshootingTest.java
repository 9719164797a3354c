package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** docs/troubleshooting.md explains the messages of the code, in their words so that a search finds them, and all. */
class TroubleshootingTest {
    private static final List<String> MODULES =
            List.of("ordered-executor-core", "ordered-executor-spring-boot-starter");

    /** In a row of a table, what is set as code in the first cell. */
    private static final Pattern MESSAGE = Pattern.compile("`([^`]+)`");

    /** Stands for a name or a value. */
    private static final Pattern NAME = Pattern.compile("…");

    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

    /** Where a message is given to somebody, up to the end of the statement. */
    private static final Pattern GIVEN = Pattern.compile(
            "(?:new \\w+Exception|\\blogger\\.(?:warn|error)|(?:engine\\.|return )rejected|\\bstop\\w*\\.refusal"
                    + "|\\bfailures\\.invalid|(?<!void )\\brequire)"
                    + "\\((?:[^;\"]++|\"(?:[^\"\\\\]|\\\\.)*+\")*+;");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final Pattern TEXT = Pattern.compile("\\w+ \\w+");

    /** Messages that say themselves what is right, as the page says. */
    private static final Pattern CLEAR = Pattern.compile("\\bmust\\b|cannot be negative|is blank");

    /** Messages that no user sees. */
    private static final List<String> UNSEEN = List.of(
            "this task has not failed", // what the JDK's own futures say, too
            "no task has ended", // replaced by the failure of a task
            " is out of range", // replaced by what the property must be
            "causes is empty"); // of a record that only the library creates

    private static List<String> sources;
    private static List<String> messages;

    @BeforeAll
    static void read() throws IOException {
        sources = MODULES.stream()
                .map(module -> Page.ROOT.resolve(module).resolve("src/main/java"))
                .flatMap(TroubleshootingTest::sourcesIn)
                .toList();
        messages = Page.read("docs/troubleshooting.md")
                .text()
                .lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(row -> MESSAGE.matcher(row.substring(0, row.indexOf('|', 1)))
                        .results()
                        .map(message -> message.group(1)))
                .flatMap(NAME::splitAsStream)
                .filter(part -> part.strip().contains(" ")) // else it is the name of a type
                .toList();
        assertThat(messages).hasSizeGreaterThan(100);
    }

    @Test
    void messagesAreThoseOfTheCode() {
        assertThat(messages)
                .allSatisfy(message -> assertThat(sources)
                        .as("'%s' stands in a source", message)
                        .anyMatch(source -> source.contains(message)));
    }

    @Test
    void eachMessageOfTheCodeIsExplained() {
        List<String> given = sources.stream()
                .flatMap(source -> GIVEN.matcher(source).results())
                .map(MatchResult::group)
                .filter(statement -> literals(statement).anyMatch(TEXT.asPredicate()))
                .toList();
        assertThat(given).hasSizeGreaterThan(130);
        assertThat(given.stream()
                        .filter(statement -> literals(statement).noneMatch(CLEAR.asPredicate()))
                        .filter(statement -> literals(statement).noneMatch(TroubleshootingTest::isExplained)))
                .as("messages that docs/troubleshooting.md does not explain")
                .isEmpty();
    }

    private static boolean isExplained(String literal) {
        return Stream.concat(messages.stream(), UNSEEN.stream()).anyMatch(literal::contains);
    }

    private static Stream<String> literals(String statement) {
        return LITERAL.matcher(statement).results().map(literal -> literal.group(1));
    }

    private static Stream<String> sourcesIn(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files
                    .filter(file -> file.toString().endsWith(".java"))
                    .map(TroubleshootingTest::literalsJoined)
                    .toList()
                    .stream();
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
