package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A page of documentation: its blocks of code, each with the file that it must stand in, and its links. */
record Page(Path path, String text) {
    /** Tests run in the directory of their module. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static final Pattern VERSION = Pattern.compile("^ *<version>(.*)</version>\n", Pattern.MULTILINE);

    private static final Pattern BLOCK = Pattern.compile(
            "(?:<!-- from (?<file>\\S+) -->\n)?^```(?<language>\\w+)\n(?<text>.*?)^```$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)(?<file>[^)#]*)(?:#(?<heading>[^)]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    /** A block that names no file has an empty one. */
    record Block(String file, String language, String text) {

        void assertStandsInItsFile() throws IOException {
            String code = VERSION.matcher(text).replaceAll("");
            assertThat(file).as("where this is from: %s", text).isNotEmpty();
            String source = Files.readString(ROOT.resolve(file));
            assertThat(IntStream.rangeClosed(0, 16).mapToObj(indent -> indented(code, indent)))
                    .as("%s, at some indentation, in %s", code, file)
                    .anyMatch(source::contains);
        }

        /** Empty lines stay empty. */
        private static String indented(String text, int indent) {
            return text.indent(indent).replaceAll("(?m)^ +$", "");
        }
    }

    static Page read(String page) throws IOException {
        Path path = ROOT.resolve(page);
        return new Page(path, Files.readString(path));
    }

    List<Block> blocks() {
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Block(block.group(1) == null ? "" : block.group(1), block.group(2), block.group(3)))
                .toList();
    }

    /** The file of a link must exist, and its heading must stand there. */
    void assertLinksLeadSomewhere() throws IOException {
        for (var link : LINK.matcher(text).results().toList()) {
            Path target = link.group(1).isEmpty() ? path : path.resolveSibling(link.group(1));
            assertThat(target).as("%s in %s", link.group(), path).exists();
            if (link.group(2) != null) {
                assertThat(anchors(Files.readString(target)))
                        .as("headings of %s", target)
                        .contains(link.group(2));
            }
        }
    }

    /** The section that the link in a line leads to, up to the next heading of any level. */
    String follow(String line) throws IOException {
        Matcher link = LINK.matcher(line);
        assertThat(link.find()).as("a link in %s", line).isTrue();
        String target = link.group(1).isEmpty() ? text : Files.readString(path.resolveSibling(link.group(1)));
        List<MatchResult> headings = HEADING.matcher(target).results().toList();
        for (int i = 0; i < headings.size(); i++) {
            if (anchor(headings.get(i)).equals(link.group(2))) {
                int end = i + 1 < headings.size() ? headings.get(i + 1).start() : target.length();
                return target.substring(headings.get(i).start(), end);
            }
        }
        throw new AssertionError("no such heading: " + link.group());
    }

    private static Stream<String> anchors(String page) {
        return HEADING.matcher(page).results().map(Page::anchor);
    }

    /** What GitHub makes of a heading. */
    private static String anchor(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }
}
