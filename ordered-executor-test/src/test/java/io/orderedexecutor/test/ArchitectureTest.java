package io.orderedexecutor.test;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.orderedexecutor.engine.pool.Keyed;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.PlatformFuture;

@AnalyzeClasses(packages = "io.orderedexecutor.test", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /**
     * Who tests plain Java needs the core, and nothing else on the class path, unless for {@code @SimulationTest}, for
     * assertions in the style of AssertJ, or with JUnit.
     */
    @ArchTest
    static final ArchRule SIMULATING_NEEDS_NO_SPRING_AND_NO_TEST_FRAMEWORK = noClasses()
            .that()
            .resideInAPackage("io.orderedexecutor.test")
            .and()
            .doNotHaveSimpleName("SimulationTest")
            .and()
            .haveNameNotMatching(".*\\.Simulation(Extension(\\$.*)?|Assert|SessionListener)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..spring..", "org.springframework..", "org.junit..", "org.assertj..");

    /** But for the one place where clock, timers and threads come from, which is exported to the kit. */
    @ArchTest
    static final ArchRule THE_ENGINE_IS_NOT_API = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage("io.orderedexecutor.engine..")
                    .and(not(belongToAnyOf(Keyed.class, Platform.class, PlatformFuture.class))));

    /** What others may compile against: adding to it is a decision. */
    @ArchTest
    static void publicTypes(JavaClasses classes) {
        assertThat(classes.stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(JavaClass::isTopLevelClass)
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "AutoConfigureOrderedExecutors",
                        "Fault",
                        "InTurn",
                        "InjectedFault",
                        "Simulation",
                        "SimulationAssert",
                        "SimulationFailure",
                        "SimulationRunner",
                        "SimulationSessionListener",
                        "SimulationTest",
                        "SteppedExecutor",
                        "SteppedExecutorConfiguration",
                        "Strategy");
    }
}
