package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the pages in docs to their word: code is copied from what is compiled and run, and links lead somewhere. */
class PagesTest {
    /** The name of a class of tests, as the page with the evidence has it. */
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT|Versus\\w+|Signals|Storm))[`.]");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/guide.md",
                "docs/migrating.md",
                "docs/questions.md",
                "docs/spring.md",
                "docs/testing.md",
                "docs/transactions.md"
            })
    void codeIsCopiedFromWhatIsCompiled(String page) throws IOException {
        List<Page.Block> code = Page.read(page).blocks().stream()
                .filter(block -> !List.of("sh", "json", "text").contains(block.language()))
                .toList();
        assertThat(code).extracting(Page.Block::language).contains("java");
        for (Page.Block block : code) {
            block.assertStandsInItsFile();
        }
    }

    /** What the modules of this project leave to their parent, a reader's project must state. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/kafka.md", "docs/testing.md"})
    void theDependencyThatIsShownHasTheVersionThatIsBuilt(String page) throws IOException {
        String built = builtVersion();

        assertThat(Page.read(page).blocks())
                .filteredOn(block -> block.language().equals("xml"))
                .isNotEmpty()
                .allSatisfy(block -> {
                    Matcher shown = Page.VERSION.matcher(block.text());
                    assertThat(shown.find()).as("a version in %s", block.text()).isTrue();
                    assertThat(shown.group(1)).isEqualTo(built);
                });
    }

    @Test
    void theDependencyOfGradleHasTheVersionThatIsBuilt() throws IOException {
        assertThat(Page.read("README.md").blocks())
                .filteredOn(block -> block.language().equals("groovy"))
                .singleElement()
                .satisfies(block -> assertThat(block.text())
                        .contains(
                                "\"io.orderedexecutor:ordered-executor-spring-boot-starter:" + builtVersion() + "\""));
    }

    private static String builtVersion() throws IOException {
        Matcher built = Page.VERSION.matcher(Files.readString(Page.ROOT.resolve("sample-app/pom.xml")));
        assertThat(built.find()).as("the parent's version").isTrue();
        return built.group(1);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(String page) throws IOException {
        Page.read(page).assertLinksLeadSomewhere();
    }

    /** What people ask first is one click away from the index of the guide. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Which executor do I use for transfers between two accounts? | a transfer between two accounts | `GroupedExecutor`
            What happens when a queue is full?              | `RejectedExecutionException` | `discard-oldest`
            How do I test an ordered method?                | `ordered-executor-test`  | [testing](testing.md)
            How do I resume a parked key?                   | {"action": "resume"}     | executor.control().skip("alice")
            Why does a key not go on?                       | endpoint                 | *parked*
            What is lost at `kill -9`?                      | in memory                | All accepted tasks
            What if several instances of my application run? | a rule in the load balancer | the order of the commits
            Are two methods with the same key in one order? | one space of keys         | Key.of("orders", orderId)
            Which failures are retried?                     | `.excludes(InvalidOrder.class)` | can never succeed
            What if calls arrive faster than they run?      | `WhenBusy.latest("view")` | `Batcher`
            How do I move from a striped executor service?  | StripedExecutorService   | asExecutorService()
            """)
    void answersAreOneClickFromTheIndex(String question, String first, String second) throws IOException {
        Page guide = Page.read("docs/guide.md");
        String index = guide.text().substring(0, guide.text().indexOf("\n## "));
        String row = index.lines()
                .filter(line -> line.startsWith("| " + question + " |"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("The index of the guide does not have: " + question));
        assertThat(guide.follow(row)).contains(first, second);
    }

    @Test
    void whatShowsAGuaranteeIsThere() throws IOException {
        List<String> named = TEST.matcher(
                        Page.read("docs/maintainers/evidence.md").text())
                .results()
                .map(test -> test.group(1))
                .distinct()
                .toList();
        assertThat(named).hasSizeGreaterThan(90);
        assertThat(testClasses()).containsAll(named);
    }

    private static List<String> testClasses() throws IOException {
        List<String> classes = new ArrayList<>();
        for (String directory :
                List.of("ordered-executor-core", "ordered-executor-test", "ordered-executor-kafka", "verification")) {
            try (Stream<Path> files = Files.walk(Page.ROOT.resolve(directory))) {
                files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".java"))
                        .map(file -> file.substring(0, file.length() - ".java".length()))
                        .forEach(classes::add);
            }
        }
        return classes;
    }

    static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Page.ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(
                                    "README.md",
                                    "CONTRIBUTING.md",
                                    "CHANGELOG.md",
                                    "SECURITY.md",
                                    "verification/benchmarks/README.md"),
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .map(page -> Page.ROOT.relativize(page).toString())
                                    .sorted())
                    .toList();
        }
    }
}
