package io.orderedexecutor;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.WorkerThreadFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What the core may depend on and call, and who writes the state of its engine. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.orderedexecutor");

    private static final String ENGINE = "io.orderedexecutor.engine.";

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
                .because("no thread ever spins or yields to wait for a turn")
                .check(CORE);
    }

    /**
     * What the JDK's classes do on their own is left: {@code CompletableFuture.get} and {@code join} park by
     * themselves, and so does a thread that waits for a lock.
     */
    @Test
    void timeAndThreadsComeFromThePlatform() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(Platform.class)
                .should()
                .callMethodWhere(FORBIDDEN_OUTSIDE_THE_PLATFORM)
                .because("a test takes the place of Platform to decide on time and threads")
                .check(CORE);
        noClasses()
                .that()
                .doNotBelongToAnyOf(Platform.class, WorkerThreadFactory.class)
                .should()
                .callConstructorWhere(target(owner(assignableTo(Thread.class))))
                .because("threads are made where the platform says so")
                .check(CORE);
    }

    @Test
    void theRuleOnThePlatformFindsWhatThePlatformItselfDoes() {
        assertThat(CORE.get(Platform.class).getMethodCallsFromSelf().stream()
                        .filter(FORBIDDEN_OUTSIDE_THE_PLATFORM)
                        .map(call -> call.getTarget().getName()))
                .contains("nanoTime", "completeOnTimeout", "parkNanos", "unpark", "awaitNanos", "start");
    }

    private static final Set<String> CLOCKS = Set.of("nanoTime", "currentTimeMillis", "now");
    private static final Set<String> TIMED_WAITS = Set.of("await", "awaitNanos", "awaitUntil", "wait", "poll", "sleep");
    private static final Set<String> FUTURE_TIMERS =
            Set.of("delayedExecutor", "orTimeout", "completeOnTimeout", "defaultExecutor");

    private static final DescribedPredicate<JavaMethodCall> FORBIDDEN_OUTSIDE_THE_PLATFORM =
            DescribedPredicate.describe("clocks, timers, parked and started threads of the JDK", call -> {
                JavaClass owner = call.getTargetOwner();
                String name = call.getTarget().getName();
                return owner.isEquivalentTo(LockSupport.class)
                        // from JDK 25 on, a ForkJoinPool is one, too
                        || (owner.isAssignableTo(ScheduledExecutorService.class) && name.startsWith("schedule"))
                        || (owner.isAssignableTo(CompletableFuture.class) && FUTURE_TIMERS.contains(name))
                        || (owner.isAssignableTo(Thread.class) && name.equals("start"))
                        || (owner.getPackageName().startsWith("java.") && CLOCKS.contains(name))
                        || (isInJavaUtilConcurrentOrObject(owner) && TIMED_WAITS.contains(name));
            });

    private static boolean isInJavaUtilConcurrentOrObject(JavaClass owner) {
        boolean isUntimedQueue = owner.isEquivalentTo(ConcurrentLinkedQueue.class);
        return (!isUntimedQueue && owner.getPackageName().startsWith("java.util.concurrent"))
                || owner.isEquivalentTo(Object.class);
    }

    /**
     * Who reads a class of the engine sees each change of its state. Nested classes belong to the class around them.
     */
    @Test
    void fieldsOfTheEngineAreWrittenByTheirOwnClass() {
        List<JavaFieldAccess> writes = CORE.stream()
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getAccessType() == JavaFieldAccess.AccessType.SET)
                .filter(write -> write.getTargetOwner().getPackageName().startsWith(ENGINE))
                .toList();
        assertThat(writes).isNotEmpty();
        assertThat(writes.stream()
                        .filter(write -> !topLevel(write.getOriginOwner()).equals(topLevel(write.getTargetOwner())))
                        .map(JavaFieldAccess::getDescription))
                .isEmpty();
    }

    private static String topLevel(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }
}
