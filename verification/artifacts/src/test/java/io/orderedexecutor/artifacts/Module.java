package io.orderedexecutor.artifacts;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A module that is published, with the files that the release build has left in its {@code target} directory.
 *
 * <p>Which modules are published is read from their own POMs, so that one that is forgotten elsewhere is noticed.
 */
record Module(Path directory) {
    /** Tests run in the directory of their module. */
    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    static final String BOM = "ordered-executor-bom";

    static {
        // only what is in the jars is looked at
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    }

    /** All published modules, the BOM among them. */
    static List<Module> published() {
        try (Stream<Path> directories = Files.list(ROOT)) {
            return directories
                    .filter(directory -> Files.isRegularFile(directory.resolve("pom.xml")))
                    .map(Module::new)
                    .filter(module -> Pom.read(module.directory.resolve("pom.xml"))
                            .text("/project/properties/unpublished")
                            .equals("false"))
                    .sorted((one, other) -> one.name().compareTo(other.name()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All published modules that have jars. */
    static List<Module> withJars() {
        return published().stream().filter(module -> !module.name().equals(BOM)).toList();
    }

    String name() {
        return directory.getFileName().toString();
    }

    /** The POM as it is published. */
    Pom pom() {
        return Pom.read(directory.resolve("target/flattened-pom.xml"));
    }

    Path jar() {
        return jar("");
    }

    Path sources() {
        return jar("-sources");
    }

    Path javadoc() {
        return jar("-javadoc");
    }

    List<Path> jars() {
        return List.of(jar(), sources(), javadoc());
    }

    private Path jar(String suffix) {
        return directory.resolve("target/" + name() + "-" + pom().text("/project/version") + suffix + ".jar");
    }

    JavaClasses classes() {
        try (JarFile file = new JarFile(jar().toFile())) {
            return new ClassFileImporter().importJar(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files in a jar. */
    static Set<String> entries(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(entry -> entry.getName())
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(jar + " cannot be read; the release build makes it", e);
        }
    }

    /** A text file in a jar; empty if there is none. */
    static String text(Path jar, String entry) {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry(entry) == null
                    ? ""
                    : new String(file.getInputStream(file.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
