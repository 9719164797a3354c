package io.orderedexecutor.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.NullMarked;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The rules that Spring Boot keeps for its own auto-configurations, and the shape of the module. */
@AnalyzeClasses(packages = "io.orderedexecutor.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String IMPORTS =
            "/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.orderedexecutor.spring.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule THE_ENGINE_IS_NOT_API =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.orderedexecutor.engine..");

    @ArchTest
    static final ArchRule AUTO_CONFIGURATIONS_ARE_FINAL = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .haveModifier(JavaModifier.FINAL)
            .andShould()
            .haveSimpleNameEndingWith("AutoConfiguration");

    /** Spring Boot finds the others by their names; applications and modules order themselves by this one. */
    @ArchTest
    static final ArchRule ONE_AUTO_CONFIGURATION_IS_PUBLIC = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .and()
            .doNotHaveSimpleName("OrderedExecutorAutoConfiguration")
            .should()
            .bePackagePrivate();

    @ArchTest
    static final ArchRule CONFIGURATIONS_ARE_PACKAGE_PRIVATE = classes()
            .that()
            .areAnnotatedWith(Configuration.class)
            .should()
            .bePackagePrivate()
            .andShould(com.tngtech.archunit.lang.conditions.ArchConditions.be(
                    new DescribedPredicate<JavaClass>("without proxied bean methods") {
                        @Override
                        public boolean test(JavaClass type) {
                            return !type.getAnnotationOfType(Configuration.class)
                                    .proxyBeanMethods();
                        }
                    }));

    @ArchTest
    static final ArchRule BEAN_METHODS_ARE_PACKAGE_PRIVATE =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    @ArchTest
    static final ArchRule POST_PROCESSOR_BEANS_ARE_STATIC = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .and()
            .haveRawReturnType(DescribedPredicate.or(
                    JavaClass.Predicates.assignableTo(BeanPostProcessor.class),
                    JavaClass.Predicates.assignableTo(BeanFactoryPostProcessor.class)))
            .should()
            .beStatic();

    /** A bean that is an executor would switch off Spring Boot's own. */
    @ArchTest
    static final ArchRule NO_BEAN_IS_AN_EXECUTOR = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .should()
            .notHaveRawReturnType(JavaClass.Predicates.assignableTo(Executor.class));

    @ArchTest
    static final ArchRule THE_ANNOTATION_NEEDS_NO_ACTUATOR = noClasses()
            .that()
            .resideInAPackage("io.orderedexecutor.spring.annotation")
            .and()
            .areNotAnnotatedWith(Configuration.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot.actuate..", "io.micrometer..", "..autoconfigure..");

    @ArchTest
    static void autoConfigurationsAreListed(JavaClasses classes) throws IOException {
        List<String> expected = classes.stream()
                .filter(type -> type.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getName)
                .sorted()
                .toList();
        try (InputStream file = ArchitectureTest.class.getResourceAsStream(IMPORTS)) {
            assertThat(file).isNotNull();
            List<String> listed = new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(listed).isEqualTo(expected).hasSize(6);
        }
    }

    @ArchTest
    static void packagesAreNullMarked(JavaClasses classes) {
        List<String> packages = classes.stream()
                .map(type -> type.getPackage())
                .distinct()
                .filter(type -> !type.getClasses().isEmpty())
                .filter(type -> !type.isAnnotatedWith(NullMarked.class))
                .map(type -> type.getName())
                .toList();
        assertThat(packages).isEmpty();
    }

    /** The list below may change, but not grow. */
    @ArchTest
    static void numberOfPublicTypes(JavaClasses classes) {
        assertThat(namesOfPublicTypes(classes)).hasSizeLessThanOrEqualTo(20);
    }

    private static List<String> namesOfPublicTypes(JavaClasses classes) {
        return classes.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .filter(JavaClass::isTopLevelClass)
                .map(JavaClass::getSimpleName)
                .sorted()
                .toList();
    }

    /** What others may compile against, each for a reason: adding to it is a decision. */
    @ArchTest
    static void publicTypes(JavaClasses classes) {
        assertThat(namesOfPublicTypes(classes))
                .containsExactlyInAnyOrder(
                        // applications write them
                        "OrderedAsync",
                        "OrderedTransactionalEventListener",
                        // call them
                        "OrderedTransactions",
                        "OrderedExecutorMetrics",
                        "OrderedTimelineEndpoint",
                        // implement them, or extend them
                        "UnfinishedTasksHandler",
                        "StripedExecutorCustomizer",
                        "GroupedExecutorCustomizer",
                        "OrderedOutputExecutorCustomizer",
                        "OrderedExecutorThreads",
                        "OrderedAsyncObserver",
                        "OrderedAsyncObservationConvention",
                        "DefaultOrderedAsyncObservationConvention",
                        // are given them
                        "OrderedAsyncCall",
                        "OrderedAsyncObservation",
                        "OrderedAsyncObservationContext",
                        // declare them as beans where the auto-configured ones do not do
                        "OrderedAsyncPostProcessor",
                        "OrderedTransactionsPostProcessor",
                        // order themselves by it, exclude it, test with it
                        "OrderedExecutorAutoConfiguration",
                        // is named by annotations of other modules
                        "KeyExpressionReflectiveProcessor");
    }
}
