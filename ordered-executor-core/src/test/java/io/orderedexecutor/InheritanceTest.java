package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Collaborators instead of ancestors: how deep types of the core are, and how many of their methods are overridden. */
class InheritanceTest {
    private static final int DEEPEST = 2;
    private static final int MOST_HOOKS = 55;

    private static final List<JavaClass> CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.orderedexecutor").stream()
                    .filter(type -> !type.isInterface() && !type.isEnum())
                    .toList();

    private static List<JavaClass> superclasses(JavaClass type) {
        return type.getAllRawSuperclasses().stream()
                .filter(parent -> parent.getPackageName().startsWith("io.orderedexecutor"))
                .toList();
    }

    @Test
    void noTypeHasManySuperclassesOfOurs() {
        assertThat(CLASSES).isNotEmpty().allSatisfy(type -> assertThat(superclasses(type))
                .as(type.getName())
                .hasSizeLessThanOrEqualTo(DEEPEST));
    }

    /** A hook is a method that a class declares, and a subclass of it in the core declares again. */
    @Test
    void fewMethodsAreOverridden() {
        Set<String> hooks = CLASSES.stream()
                .flatMap(type -> type.getMethods().stream())
                .map(InheritanceTest::hook)
                .flatMap(Optional::stream)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(hooks).hasSizeLessThanOrEqualTo(MOST_HOOKS);
    }

    /** The method that another one overrides, where it is declared first. */
    private static Optional<String> hook(JavaMethod method) {
        Set<JavaModifier> modifiers = method.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC)
                || modifiers.contains(JavaModifier.PRIVATE)
                || modifiers.contains(JavaModifier.SYNTHETIC)
                || modifiers.contains(JavaModifier.BRIDGE)) {
            return Optional.empty();
        }
        List<JavaClass> declaring = superclasses(method.getOwner()).stream()
                .filter(parent -> parent.getMethods().stream()
                        .anyMatch(above -> above.getName().equals(method.getName())
                                && above.getRawParameterTypes().size()
                                        == method.getRawParameterTypes().size()
                                && !above.getModifiers().contains(JavaModifier.PRIVATE)
                                && !above.getModifiers().contains(JavaModifier.STATIC)))
                .toList();
        return declaring.isEmpty()
                ? Optional.empty()
                : Optional.of(declaring.get(declaring.size() - 1).getSimpleName() + "." + method.getName());
    }
}
