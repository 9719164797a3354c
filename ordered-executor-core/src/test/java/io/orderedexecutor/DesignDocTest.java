package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The types and methods that docs/design.md names exist. */
class DesignDocTest {
    /** A type, and perhaps a method of it, in backticks: {@code Strand}, {@code Strand.enter}. */
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+)(?:\\.([a-z]\\w*))?`");

    /** A step of a walk: the package, what happens, the type. */
    private static final Pattern STEP = Pattern.compile("(?m)^\\| (API|[a-z]+) +\\| .+ \\| `([A-Z]\\w+)` \\|$");

    private static final Pattern QUESTION = Pattern.compile("(?m)^\\| [^|]+\\? +\\| (.+) \\|$");

    /** The methods of each type, by its name without a package. */
    private static final Map<String, Set<String>> METHODS = new ClassFileImporter()
            .importPackages("io.orderedexecutor").stream()
                    .collect(Collectors.toMap(
                            JavaClass::getSimpleName,
                            type -> type.getAllMethods().stream()
                                    .map(JavaMethod::getName)
                                    .collect(Collectors.toSet()),
                            (one, other) -> one));

    /** The package of each type. */
    private static final Map<String, String> PACKAGES = new ClassFileImporter()
            .importPackages("io.orderedexecutor").stream()
                    .collect(
                            Collectors.toMap(JavaClass::getSimpleName, JavaClass::getPackageName, (one, other) -> one));

    @Test
    void typesAndMethodsThatThePageNamesExist() throws IOException {
        List<MatchResult> named = NAME.matcher(page()).results().toList();
        assertThat(named).hasSizeGreaterThan(20).allSatisfy(name -> {
            assertThat(METHODS)
                    .as(
                            "docs/design.md names `%s`, which is not a type of the core any more."
                                    + " Replace it by the type that does now what the line says.",
                            name.group(1))
                    .containsKey(name.group(1));
            if (name.group(2) != null) {
                assertThat(METHODS.get(name.group(1)))
                        .as(
                                "docs/design.md names `%s`, but the type has no such method any more."
                                        + " Replace it by the method that does now what the line says.",
                                name.group().replace("`", ""))
                        .contains(name.group(2));
            }
        });
    }

    @Test
    void eachStepOfAWalkIsInThePackageThatThePageNames() throws IOException {
        List<MatchResult> steps = STEP.matcher(page()).results().toList();
        assertThat(steps).hasSizeGreaterThan(15).allSatisfy(step -> {
            String name =
                    step.group(1).equals("API") ? "io.orderedexecutor" : "io.orderedexecutor.engine." + step.group(1);
            assertThat(PACKAGES.get(step.group(2)))
                    .as("docs/design.md says '%s'", step.group())
                    .isEqualTo(name);
        });
    }

    @Test
    void tenQuestionsHaveOneTypeEachAsTheirAnswer() throws IOException {
        List<String> answers = QUESTION.matcher(page())
                .results()
                .map(question -> question.group(1))
                .toList();
        assertThat(answers)
                .as("docs/design.md answers ten questions of maintainers: add a row, or name a single type in it")
                .hasSizeGreaterThanOrEqualTo(10)
                .allSatisfy(answer -> assertThat(answer).matches("`[A-Z]\\w+`"));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/design.md"));
    }
}
