package io.orderedexecutor.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in the jars of each published module, and what is not. */
class JarsIT {
    private static final Pattern INNER_CLASS = Pattern.compile("(\\$.*)?\\.class$");

    static final List<Module> MODULES = Module.withJars();

    static Stream<Path> jars() {
        return MODULES.stream().flatMap(module -> module.jars().stream());
    }

    @Test
    void coreAndStarterAreAmongThem() {
        assertThat(MODULES)
                .extracting(Module::name)
                .contains("ordered-executor-core", "ordered-executor-spring-boot-starter");
    }

    @ParameterizedTest
    @MethodSource("jars")
    void eachJarBringsTheLicence(Path jar) throws IOException {
        assertThat(Module.text(jar, "META-INF/LICENSE")).isEqualTo(Files.readString(Module.ROOT.resolve("LICENSE")));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void theModuleHasANameOfItsOwn(Module module) throws IOException {
        ModuleDescriptor descriptor = descriptor(module);
        assertThat(descriptor.name()).startsWith("io.orderedexecutor");
        if (descriptor.isAutomatic()) {
            // and not the one that the JDK makes from a file name, which may change
            try (JarFile jar = new JarFile(module.jar().toFile())) {
                assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                        .isEqualTo(descriptor.name());
            }
        }
    }

    @Test
    void noTwoModulesShareANameOrAPackage() {
        Map<String, Module> owners = new HashMap<>();
        for (Module module : MODULES) {
            ModuleDescriptor descriptor = descriptor(module);
            Stream.concat(Stream.of("module " + descriptor.name()), descriptor.packages().stream())
                    .forEach(name -> assertThat(owners.put(name, module))
                            .as("who else than %s has %s", module, name)
                            .isNull());
        }
        assertThat(owners).hasSizeGreaterThan(2 * MODULES.size());
    }

    private static ModuleDescriptor descriptor(Module module) {
        Set<ModuleReference> found = ModuleFinder.of(module.jar()).findAll();
        assertThat(found).hasSize(1);
        return found.iterator().next().descriptor();
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void noClassOfTheTestsIsInAJar(Module module) throws IOException {
        Set<String> tests = classFiles(module.directory().resolve("target/test-classes"));
        tests.removeIf(name -> name.endsWith("/package-info.class")); // tests may describe the same package
        assertThat(tests).as("tests that could be in the jar").isNotEmpty();
        assertThat(Module.entries(module.jar())).doesNotContainAnyElementsOf(tests);
        assertThat(Module.entries(module.sources()))
                .doesNotContainAnyElementsOf(tests.stream()
                        .map(name -> INNER_CLASS.matcher(name).replaceFirst(".java"))
                        .toList());
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void allClassesAndNothingElseIsInTheJar(Module module) throws IOException {
        Set<String> expected = classFiles(module.directory().resolve("target/classes"));
        assertThat(expected).isNotEmpty();
        assertThat(Module.entries(module.jar()))
                .filteredOn(name -> name.endsWith(".class"))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(Module.entries(module.jar()))
                .filteredOn(name -> !name.endsWith(".class"))
                .allMatch(name -> name.startsWith("META-INF/"));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void theSourceOfEachClassIsThere(Module module) {
        Set<String> sources = Module.entries(module.sources());
        Set<String> missing = Module.entries(module.jar()).stream()
                .filter(name -> name.endsWith(".class"))
                .map(name -> INNER_CLASS.matcher(name).replaceFirst(".java"))
                .filter(name -> !sources.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(missing).isEmpty();
    }

    private static Set<String> classFiles(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> directory.relativize(file).toString().replace('\\', '/'))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
