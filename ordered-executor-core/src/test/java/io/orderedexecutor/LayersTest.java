package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The layers of the core. An engine package uses those below it, and of the API the values only: types that use nothing
 * of the engine. Facades, which use the engine, are used by no engine package.
 */
class LayersTest {
    private static final String API = "io.orderedexecutor";
    private static final String STATS = API + ".stats";
    private static final String ENGINE = API + ".engine.";

    /** Which top-level types each top-level type uses; a nested type is part of the one that it is in. */
    private static final Map<String, Set<String>> USES = new TreeMap<>();

    static {
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(API)) {
            if (!type.getSimpleName().equals("package-info")) {
                Set<String> uses = USES.computeIfAbsent(topLevel(type), name -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass used = dependency.getTargetClass().getBaseComponentType();
                    if (used.getPackageName().startsWith(API) && !topLevel(used).equals(topLevel(type))) {
                        uses.add(topLevel(used));
                    }
                }
            }
        }
    }

    private static String topLevel(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }

    private static String packageOf(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }

    private static Set<String> packages() {
        return USES.keySet().stream().map(LayersTest::packageOf).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> typesOf(String name) {
        return USES.keySet().stream()
                .filter(type -> packageOf(type).equals(name))
                .toList();
    }

    /** From the bottom up. */
    @ParameterizedTest(name = "engine.{0} uses {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "pool     | ''",
                "task     | pool",
                "order    | pool",
                "permit   | pool order",
                "run      | pool task order permit",
                "admit    | pool task order permit run"
            })
    void anEnginePackageUsesThoseBelowIt(String name, String below) {
        Set<String> allowed = new HashSet<>(List.of(API, STATS, ENGINE + name));
        List.of(below.split(" ")).forEach(other -> allowed.add(ENGINE + other));
        List<String> types = typesOf(ENGINE + name);
        assertThat(types).isNotEmpty();
        assertThat(types.stream()
                        .flatMap(type -> USES.get(type).stream()
                                .filter(used -> !allowed.contains(packageOf(used)))
                                .map(used -> type + " uses " + used)))
                .isEmpty();
    }

    @Test
    @DisplayName("orders know keys, a platform and reports, and nothing of tasks, threads and admission")
    void ordersKnowNothingElse() {
        assertThat(typesOf(ENGINE + "order"))
                .isNotEmpty()
                .flatExtracting(type -> USES.get(type))
                .filteredOn(used -> !packageOf(used).equals(ENGINE + "order"))
                .containsOnly(API + ".Key", ENGINE + "pool.Platform", ENGINE + "pool.UncaughtFailures");
    }

    @Test
    void thereIsNoOtherPackage() {
        assertThat(packages())
                .containsExactlyInAnyOrder(
                        API,
                        STATS,
                        ENGINE + "pool",
                        ENGINE + "task",
                        ENGINE + "order",
                        ENGINE + "permit",
                        ENGINE + "run",
                        ENGINE + "admit");
    }

    @Test
    void theEngineUsesValuesOfTheApiAndNoFacades() {
        List<String> facades = new ArrayList<>();
        USES.forEach((type, uses) -> {
            if (type.startsWith(ENGINE)) {
                uses.stream()
                        .filter(used -> !used.startsWith(ENGINE))
                        .filter(used -> reachableFrom(used).stream().anyMatch(other -> other.startsWith(ENGINE)))
                        .forEach(used -> facades.add(type + " uses " + used));
            }
        });
        assertThat(facades).isEmpty();
    }

    @Test
    void recordsUseOnlyValues() {
        assertThat(typesOf(STATS))
                .isNotEmpty()
                .allSatisfy(type -> assertThat(reachableFrom(type)).noneMatch(used -> used.startsWith(ENGINE)));
    }

    /** What a type uses, itself or by others. */
    private static Set<String> reachableFrom(String type) {
        Set<String> reached = new HashSet<>();
        List<String> open = new ArrayList<>(List.of(type));
        while (!open.isEmpty()) {
            for (String used : USES.getOrDefault(open.remove(open.size() - 1), Set.of())) {
                if (reached.add(used)) {
                    open.add(used);
                }
            }
        }
        return reached;
    }
}
