package io.orderedexecutor;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every label in a test's name is explained in docs/test-labels.md, and every label there has a test. */
class TestLabelsTest {
    private static final Pattern LABELS_OF_A_NAME = Pattern.compile("\"((?:[RSLGO]\\d+(?:, )?)+):");
    private static final Pattern LABEL = Pattern.compile("[SLGO]\\d+");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([SLGO]\\d+) \\|");

    @Test
    void labelsAndTheirExplanationsAgree() throws IOException {
        String page = Files.readString(Path.of("../docs/test-labels.md"));
        Set<String> explained =
                ROW.matcher(page).results().map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));
        assertThat(labelsOfTests()).isNotEmpty().isEqualTo(explained);
    }

    private static Set<String> labelsOfTests() throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/test/java"))) {
            return sources.filter(path -> path.toString().endsWith(".java"))
                    .filter(not(path -> path.endsWith("TestLabelsTest.java")))
                    .map(TestLabelsTest::read)
                    .flatMap(source -> LABELS_OF_A_NAME.matcher(source).results())
                    .flatMap(labels -> LABEL.matcher(labels.group(1)).results())
                    .map(MatchResult::group)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String read(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
