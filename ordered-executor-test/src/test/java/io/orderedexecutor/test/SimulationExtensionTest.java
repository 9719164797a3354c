package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.orderedexecutor.StripedExecutor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@Timeout(60)
class SimulationExtensionTest {
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final Set<String> ORDERS = new HashSet<>();

    static class SetsPort implements TestInstancePostProcessor {
        @Override
        public void postProcessTestInstance(Object instance, ExtensionContext context) {
            if (instance instanceof Application application) {
                application.port = 8080;
                application.ownNumber = 8;
            }
        }
    }

    /** A test class as an application has it: run by the tests around it. */
    @ExtendWith(SetsPort.class)
    static class Application {
        private final List<String> ran = new ArrayList<>();
        private StripedExecutor executor;

        @TempDir
        Path directory;

        /** Set by an extension. */
        int port;

        int ownNumber = 7;
        boolean leavesTasks;

        @BeforeEach
        void open(Simulation simulation) {
            executor = simulation.striped("orders").build();
            executor.execute("alice", () -> ran.add("set-up"));
        }

        @AfterEach
        void close() {
            if (leavesTasks) {
                assertThat(ran).as("what has run before the clean-up").containsExactly("set-up");
            }
            executor.close();
            RUNS.incrementAndGet();
        }

        @SimulationTest(runs = 50)
        void hasFreshStateInEachRun(Simulation simulation) {
            assertThat(directory).isDirectory();
            executor.execute("alice", () -> ran.add("alice"));
            executor.execute("bob", () -> ran.add("bob"));
            simulation.run();
            assertThat(ran).hasSize(3).containsSubsequence("set-up", "alice");
            ORDERS.add(ran.toString());
        }

        @SimulationTest(runs = 50)
        void failsInSomeOrder(Simulation simulation) {
            executor.execute("bob", () -> ran.add("bob"));
            simulation.run();
            assertThat(ran).containsExactly("set-up", "bob");
        }

        @SimulationTest(faults = Fault.REJECTION)
        void failsWithFaults(Simulation simulation) {
            executor.execute("bob", () -> ran.add("bob"));
        }

        @SimulationTest
        void failsBeforeItIsCleanedUp(Simulation simulation) {
            executor.close();
            executor = null;
            throw new IllegalStateException("in the test");
        }

        @SimulationTest
        void forgetsTheSimulation() {}

        @SimulationTest
        void leavesItsTasksToTheEnd(Simulation simulation) {
            leavesTasks = true;
        }

        @SimulationTest(runs = 3)
        void hasWhatAnExtensionHasSet(Simulation simulation) {
            assertThat(port).isEqualTo(8080);
            assertThat(ownNumber++).isEqualTo(7);
        }

        @SimulationTest(runs = 3)
        void assumesWhatIsNotSo(Simulation simulation) {
            simulation.run();
            assumeTrue(ran.isEmpty(), "there is a database");
        }

        @SimulationTest(seed = "SCHEDULE--00000000")
        void hasASeedThatDiverges(Simulation simulation) {
            simulation.yieldPoint("here");
        }

        @Nested
        class Inner {
            @BeforeEach
            void addToWhatTheOuterOneHasOpened() {
                executor.execute("alice", () -> ran.add("inner set-up"));
            }

            @SimulationTest(runs = 3)
            void seesWhatIsAroundIt(Simulation simulation) {
                simulation.run();
                assertThat(ran).containsExactly("set-up", "inner set-up");
                RUNS.addAndGet(100);
            }
        }
    }

    private static TestExecutionResult run(Class<?> type, String method) {
        RUNS.set(0);
        ORDERS.clear();
        List<TestExecutionResult> results = new ArrayList<>();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        type.isMemberClass() && type != Application.class
                                ? DiscoverySelectors.selectNestedMethod(
                                        List.of(Application.class.getName()),
                                        type.getName(),
                                        method,
                                        Simulation.class.getName())
                                : DiscoverySelectors.selectMethod(
                                        type,
                                        method,
                                        method.equals("forgetsTheSimulation") ? "" : Simulation.class.getName()))
                .build();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    results.add(result);
                }
            }
        });
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    private static Throwable failureOf(String method) {
        TestExecutionResult result = run(Application.class, method);
        assertThat(result.getStatus()).isEqualTo(TestExecutionResult.Status.FAILED);
        return result.getThrowable().orElseThrow();
    }

    @Test
    void eachRunHasAnInstanceOfItsOwnWithItsSetUpInTheSimulation() {
        TestExecutionResult result = run(Application.class, "hasFreshStateInEachRun");
        assertThat(result.getThrowable()).isEmpty();
        assertThat(RUNS).hasValue(50);
        assertThat(ORDERS).contains("[set-up, alice, bob]", "[set-up, bob, alice]", "[bob, set-up, alice]");
    }

    @Test
    void aFailureIsReportedOnceWithItsSeedAndItsTest() {
        assertThat(failureOf("failsInSomeOrder"))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining(
                        "of 50 of io.orderedexecutor.test.SimulationExtensionTest$Application.failsInSomeOrder"
                                + " has failed")
                .hasMessageContaining("@SimulationTest(seed = \"SCHEDULE-");
    }

    @Test
    void allTasksHaveRunBeforeTheCleanUp() {
        assertThat(run(Application.class, "leavesItsTasksToTheEnd").getStatus())
                .isEqualTo(TestExecutionResult.Status.SUCCESSFUL);
    }

    @Test
    void fieldsOfPrimitiveTypesAreThoseThatExtensionsHaveSet() {
        assertThat(run(Application.class, "hasWhatAnExtensionHasSet").getStatus())
                .isEqualTo(TestExecutionResult.Status.SUCCESSFUL);
    }

    @Test
    void anAssumptionThatDoesNotHoldAbortsTheTest() {
        TestExecutionResult result = run(Application.class, "assumesWhatIsNotSo");
        assertThat(result.getStatus()).isEqualTo(TestExecutionResult.Status.ABORTED);
        assertThat(result.getThrowable().orElseThrow()).hasMessageContaining("there is a database");
        assertThat(RUNS).hasValue(3);
    }

    @Test
    void aFailureIsNotHiddenByAnAssumptionOfAnotherRun() {
        for (int seed = 0; seed < 20; seed++) {
            SimulationRunner runner = SimulationRunner.named("assumes").seed("" + seed);
            assertThat(runner.find(simulation -> {
                        int chosen = simulation.choose(10);
                        assumeTrue(chosen != 0, "not the first one");
                        assertThat(chosen).as("the defect").isNotEqualTo(7);
                    }))
                    .hasValueSatisfying(failure -> assertThat(failure).hasMessageContaining("the defect"));
        }
    }

    @Test
    void faultsOfTheAnnotationAreThereFromTheBeginning() {
        assertThat(failureOf("failsWithFaults")).hasMessageContaining("rejected by the simulation");
    }

    @Test
    void theSeedOfTheAnnotationIsUsed() {
        assertThat(failureOf("hasASeedThatDiverges")).hasMessageContaining("took another course");
    }

    @Test
    void aMethodWithoutASimulationIsRefused() {
        assertThat(failureOf("forgetsTheSimulation")).hasMessageContaining("has no parameter of type Simulation");
    }

    @Test
    void aFailureOfTheTestIsNotHiddenByOneOfTheCleaningUp() {
        Throwable failure = failureOf("failsBeforeItIsCleanedUp").getCause();
        assertThat(failure).hasMessage("in the test");
        assertThat(failure.getSuppressed()).hasOnlyElementsOfType(NullPointerException.class);
    }

    @Test
    void aNestedTestIsRunWithTheSetUpAroundIt() {
        TestExecutionResult result = run(Application.Inner.class, "seesWhatIsAroundIt");
        assertThat(result.getThrowable()).isEmpty();
        assertThat(RUNS).as("three runs, each cleaned up once").hasValue(303);
    }
}
