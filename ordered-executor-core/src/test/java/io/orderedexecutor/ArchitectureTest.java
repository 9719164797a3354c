package io.orderedexecutor;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the core may depend on, and what of it is public. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.orderedexecutor");

    @Test
    void dependsOnTheJdkAndJspecifyOnly() {
        classes()
                .that()
                .resideInAPackage("io.orderedexecutor..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.orderedexecutor..",
                        "java..",
                        "org.jspecify.annotations",
                        // checked by the compiler, and needed by nothing at run time
                        "com.google.errorprone.annotations.concurrent")
                .check(CORE);
    }

    @Test
    void usesNoSleepNorYieldNorSpin() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "yield")
                .orShould()
                .callMethod(Thread.class, "onSpinWait")
                .because("R4: no thread ever spins or yields to wait for a turn")
                .check(CORE);
    }

    /** Each has to earn its place: the limits are those of the design. */
    @ParameterizedTest(name = "{0}: at most {1} public types, and those of its package-info")
    @CsvSource({"io.orderedexecutor, 32", "io.orderedexecutor.stats, 16"})
    void thePublicTypesAreThoseOfTheMap(String exported, int limit) throws IOException {
        Set<String> publicTypes = CORE.stream()
                .filter(type -> type.getPackageName().equals(exported))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && type.isTopLevelClass())
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
        String map = Files.readString(Path.of("src/main/java", exported.replace('.', '/'), "package-info.java"));
        Set<String> onTheMap = Pattern.compile("\\{@link[\\s*]+(?:[\\w.]+\\.)?(\\w+)}")
                .matcher(map)
                .results()
                .map((MatchResult link) -> link.group(1))
                .filter(name -> CORE.contain(exported + "." + name))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(publicTypes).hasSizeBetween(1, limit);
        assertThat(onTheMap).isEqualTo(publicTypes);
    }
}
