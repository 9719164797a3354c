package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Collaborators instead of ancestors: how many superclasses types of the core have, and how much they override. */
class InheritanceTest {
    private static final int MOST_SUPERCLASSES = 2;

    /** As many as there are; to be lowered when one goes, and not to be raised. */
    private static final int MOST_HOOKS = 42;

    private static final List<JavaClass> CLASSES = new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.orderedexecutor")
                    .stream()
                    .filter(type -> !type.isInterface() && !type.isEnum())
                    .toList();

    /** Those of the core. */
    private static List<JavaClass> superclasses(JavaClass type) {
        return type.getAllRawSuperclasses().stream()
                .filter(parent -> parent.getPackageName().startsWith("io.orderedexecutor"))
                .toList();
    }

    @Test
    void noTypeHasManySuperclasses() {
        assertThat(CLASSES)
                .isNotEmpty()
                .allSatisfy(type ->
                        assertThat(superclasses(type)).as(type.getName()).hasSizeLessThanOrEqualTo(MOST_SUPERCLASSES));
    }

    /** A hook is a method that a class of the engine declares and a subclass in the core overrides. */
    @Test
    void noFurtherMethodIsOverridden() {
        Set<String> hooks = CLASSES.stream()
                .flatMap(InheritanceTest::hooks)
                .map(hook -> hook.getOwner().getSimpleName() + "." + hook.getName())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(hooks).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_HOOKS);
    }

    /** The methods that a class overrides, where they are declared first. */
    private static Stream<JavaMethod> hooks(JavaClass type) {
        return type.getMethods().stream()
                .flatMap(method -> superclasses(type).stream()
                        .filter(parent -> parent.getPackageName().startsWith("io.orderedexecutor.engine."))
                        .flatMap(parent -> parent.getMethods().stream())
                        .filter(above -> isOverridden(above, method))
                        .reduce((nearer, further) -> further)
                        .stream());
    }

    /** A method with type parameters is overridden by a bridge. */
    private static boolean isOverridden(JavaMethod above, JavaMethod method) {
        return above.getName().equals(method.getName())
                && above.getRawParameterTypes().equals(method.getRawParameterTypes())
                && Stream.of(above, method)
                        .map(JavaMethod::getModifiers)
                        .noneMatch(modifiers ->
                                modifiers.contains(JavaModifier.STATIC) || modifiers.contains(JavaModifier.PRIVATE))
                && (above.getModifiers().contains(JavaModifier.PUBLIC)
                        || above.getModifiers().contains(JavaModifier.PROTECTED)
                        || above.getOwner()
                                .getPackageName()
                                .equals(method.getOwner().getPackageName()))
                && !above.getModifiers().contains(JavaModifier.SYNTHETIC);
    }
}
