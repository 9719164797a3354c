package io.orderedexecutor.kafka;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.apache.commons.logging.Log;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.log.LogAccessor;

/** What the module is made of, and what it may use. */
@AnalyzeClasses(packages = "io.orderedexecutor.kafka", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.orderedexecutor.kafka.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule THE_ENGINE_IS_NOT_API =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.orderedexecutor.engine..");

    /** Containers and their factory serve an application without Spring Boot, too. */
    @ArchTest
    static final ArchRule CONTAINERS_NEED_NO_SPRING_BOOT = noClasses()
            .that()
            .resideInAPackage("io.orderedexecutor.kafka")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot..", "..autoconfigure..", "..actuate..");

    /** One that throws decides nothing. */
    @ArchTest
    static final ArchRule LOGS_ARE_SAFE = noClasses()
            .that()
            .resideInAPackage("io.orderedexecutor.kafka")
            .and()
            .areNotAssignableTo(LogAccessor.class)
            .should()
            .callConstructor(LogAccessor.class, Log.class);

    @ArchTest
    static final ArchRule THE_ENDPOINT_NEEDS_NO_AUTO_CONFIGURATION = noClasses()
            .that()
            .resideInAPackage("io.orderedexecutor.kafka.actuate")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("..autoconfigure..");

    @ArchTest
    static final ArchRule AUTO_CONFIGURATIONS_ARE_FINAL =
            classes().that().areAnnotatedWith(AutoConfiguration.class).should().haveModifier(JavaModifier.FINAL);

    @ArchTest
    static final ArchRule BEAN_METHODS_ARE_PACKAGE_PRIVATE =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    /** What others may compile against: adding to it is a decision. */
    @ArchTest
    static void publicTypes(JavaClasses classes) {
        assertThat(classes.stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(JavaClass::isTopLevelClass)
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "InvalidOrderedListenerException",
                        "OrderedByKey",
                        "OrderedKafkaAutoConfiguration",
                        "OrderedKafkaEndpoint",
                        "OrderedKafkaHealthIndicator",
                        "OrderedKafkaListenerContainerFactory",
                        "OrderedListenerMetrics",
                        "OrderedListenerSettings",
                        "OrderedListeners",
                        "OrderedMessageListenerContainer",
                        "ParkedAction",
                        "PartitionSnapshot");
    }
}
