package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the pages in docs to their word: code is copied from what is compiled and run, and links lead somewhere. */
class PagesTest {
    @ParameterizedTest
    @ValueSource(strings = {"docs/guide.md", "docs/migrating.md", "docs/testing.md"})
    void codeIsCopiedFromWhatIsCompiled(String page) throws IOException {
        List<Page.Block> code = Page.read(page).blocks().stream()
                .filter(block -> !List.of("sh", "text").contains(block.language()))
                .toList();
        assertThat(code).extracting(Page.Block::language).contains("java");
        for (Page.Block block : code) {
            block.assertStandsInItsFile();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(String page) throws IOException {
        Page.read(page).assertLinksLeadSomewhere();
    }

    static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Page.ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .map(page -> Page.ROOT.relativize(page).toString())
                                    .sorted())
                    .toList();
        }
    }
}
