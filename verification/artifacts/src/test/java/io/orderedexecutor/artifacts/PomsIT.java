package io.orderedexecutor.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What the published POMs say, and what the bills of materials list. */
class PomsIT {
    static final List<Module> MODULES = Module.published();

    static final List<Module> MODULES_WITH_JARS = Module.withJars();

    @ParameterizedTest
    @FieldSource("MODULES")
    void saysWhatMavenCentralDemands(Module module) {
        Pom pom = module.pom();
        for (String demanded : List.of(
                "groupId",
                "artifactId",
                "version",
                "name",
                "description",
                "url",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "developers/developer/url",
                "scm/connection",
                "scm/developerConnection",
                "scm/url")) {
            assertThat(pom.text("/project/" + demanded)).as(demanded).isNotEmpty();
        }
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void needsNoParentAndNoOtherRepository(Module module) {
        Pom pom = module.pom();
        assertThat(pom.text("/project/artifactId")).isEqualTo(module.name());
        for (String unwanted : List.of("parent", "repositories", "build", "profiles", "properties")) {
            assertThat(pom.all("/project/" + unwanted)).as(unwanted).isEmpty();
        }
    }

    @ParameterizedTest
    @FieldSource("MODULES_WITH_JARS")
    void hasTheVersionOfEachDependencyAndNothingOfTheTests(Module module) {
        Pom pom = module.pom();
        List<Pom> dependencies = pom.all("/project/dependencies/dependency");
        assertThat(dependencies).isNotEmpty().allSatisfy(dependency -> {
            assertThat(dependency.text("version")).isNotEmpty().doesNotContain("$");
            assertThat(dependency.text("scope")).isNotEqualTo("test");
            if (!dependency.text("groupId").equals("io.orderedexecutor")) {
                assertThat(dependency.text("version")).doesNotEndWith("-SNAPSHOT");
            }
        });
        assertThat(pom.all("/project/dependencyManagement")).isEmpty();
    }

    /** Only its owner can say where the project lives. */
    @ParameterizedTest
    @FieldSource("MODULES")
    void hasNoPlaceholderIfItIsARelease(Module module) {
        String placeholder = "example.org";
        Pom pom = module.pom();
        if (!pom.text("/project/version").endsWith("-SNAPSHOT")) {
            assertThat(pom.content())
                    .as("fill in URL, developers and SCM in the root pom.xml; see CONTRIBUTING.md")
                    .doesNotContain(placeholder);
        }
    }

    @Test
    void theCoreNeedsNothingButAnnotations() {
        Pom pom = new Module(Module.ROOT.resolve("ordered-executor-core")).pom();
        assertThat(pom.all("/project/dependencies/dependency[scope != 'provided']"))
                .extracting(dependency -> dependency.text("artifactId"))
                .containsExactly("jspecify");
    }

    @Test
    void theBomListsAllPublishedModulesAndNothingElse() {
        List<Pom> managed = new Module(Module.ROOT.resolve(Module.BOM))
                .pom()
                .all("/project/dependencyManagement/dependencies/dependency");
        assertThat(managed)
                .extracting(dependency -> dependency.text("artifactId"))
                .containsExactlyInAnyOrderElementsOf(
                        MODULES_WITH_JARS.stream().map(Module::name).toList());
        assertThat(managed).allSatisfy(dependency -> {
            assertThat(dependency.text("groupId")).isEqualTo("io.orderedexecutor");
            assertThat(dependency.text("version")).isEqualTo("${project.version}");
        });
    }

    @ParameterizedTest
    @FieldSource("MODULES_WITH_JARS")
    void theBillOfMaterialsListsWhatAnApplicationGets(Module module) {
        Pom bill = Pom.read(module.directory().resolve("target/bom.xml"));
        assertThat(Stream.of("name", "version").map(name -> bill.text("/bom/metadata/component/" + name)))
                .containsExactly(module.name(), module.pom().text("/project/version"));

        List<String> listed = bill.all("/bom/components/component").stream()
                .map(component -> component.text("name"))
                .toList();
        assertThat(listed)
                .containsAll(module.pom().all("/project/dependencies/dependency[scope = 'compile']").stream()
                        .map(dependency -> dependency.text("artifactId"))
                        .toList())
                .doesNotContain("error_prone_annotations", "junit-jupiter", "mockito-core");
        // an application gets it from the test kit only, whose assertions need it
        assertThat(listed.contains("assertj-core")).isEqualTo(module.name().equals("ordered-executor-test"));
        assertThat(module.directory().resolve("target/bom.json")).content().contains("CycloneDX", module.name());
    }
}
