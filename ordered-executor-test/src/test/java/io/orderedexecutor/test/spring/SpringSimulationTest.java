package io.orderedexecutor.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.test.Simulation;
import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.SimulationTest;
import io.orderedexecutor.test.Strategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.SchedulingTaskExecutor;
import org.springframework.test.annotation.DirtiesContext;

/** Beans of one application context in many simulations. */
@SpringBootTest(classes = SpringSimulationTest.Application.class)
class SpringSimulationTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Accounts.class)
    static class Application {}

    static class Accounts {
        private final Map<String, Integer> balances = new HashMap<>();

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<Integer> deposit(String account, int amount) {
            return CompletableFuture.completedFuture(balances.merge(account, amount, Integer::sum));
        }

        int balance(String account) {
            return balances.getOrDefault(account, 0);
        }

        void clear() {
            balances.clear();
        }
    }

    @Autowired
    Accounts accounts;

    @BeforeEach
    void clear() {
        accounts.clear();
    }

    @SimulationTest
    void noDepositIsLost(Simulation simulation) {
        simulation.thread("alice", () -> accounts.deposit("joint", 1));
        simulation.thread("bob", () -> accounts.deposit("joint", 2));
        simulation.run();
        assertThat(accounts.balance("joint")).isEqualTo(3);
    }

    /** Else the test above would say nothing. */
    @Test
    void callsOfAnnotatedMethodsComeInAnyOrder() {
        Set<Integer> first = new HashSet<>();
        SimulationRunner.named("spring").runs(50).run(simulation -> {
            accounts.clear();
            CompletableFuture<Integer> alice = new CompletableFuture<>();
            simulation.thread(
                    "alice", () -> alice.complete(accounts.deposit("joint", 1).join()));
            simulation.thread("bob", () -> accounts.deposit("joint", 2));
            simulation.run();
            first.add(alice.join());
        });
        assertThat(first).as("before bob, and after").containsExactlyInAnyOrder(1, 3);
    }

    /** Without auto-configuration, its bean is no proxy. */
    @SpringBootTest(classes = Accounts.class)
    static class WithoutExecutors {
        private static final AtomicBoolean ONCE = new AtomicBoolean(true);

        @Autowired
        Accounts accounts;

        @SimulationTest(runs = 3)
        void isGreenAndTestsNothing(Simulation simulation) {
            simulation.thread("alice", () -> accounts.deposit("joint", 1));
            simulation.run();
        }

        @SimulationTest(strategy = Strategy.EXHAUSTIVE)
        void isGreenInAllOrders(Simulation simulation) {
            accounts.deposit("joint", 1);
        }

        @SimulationTest(runs = 3)
        void submitsInOneRunOnly(Simulation simulation) {
            if (ONCE.getAndSet(false)) {
                simulation.striped("own").build().execute("joint", () -> {});
            }
        }
    }

    /** Else it would be green, whatever the order of the calls would have been. */
    @ParameterizedTest
    @ValueSource(strings = {"isGreenAndTestsNothing", "isGreenInAllOrders"})
    void aSimulationThatNoExecutorTakesPartInFails(String method) {
        assertThat(failureOf(WithoutExecutors.class, method, Simulation.class))
                .hasValueSatisfying(failure -> assertThat(failure)
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("$WithoutExecutors." + method + " has submitted nothing to an ordered"
                                + " executor in any run")
                        .hasMessageContaining("@EnableAutoConfiguration"));
    }

    @Test
    void aSimulationWithATaskInOneRunPasses() {
        assertThat(failureOf(WithoutExecutors.class, "submitsInOneRunOnly", Simulation.class))
                .isEmpty();
    }

    /** Spring keeps the context of this class for all classes with the same configuration. */
    @SpringBootTest(classes = Application.class, properties = "spring.application.name=kept")
    static class InTheKeptContext {
        @Autowired
        Accounts accounts;

        @Test
        void notSimulated() {
            assertThat(accounts.deposit("joint", 1).join()).isEqualTo(1);
        }

        @SimulationTest(runs = 1)
        void simulated(Simulation simulation) {
            simulation.thread("alice", () -> accounts.deposit("joint", 1));
            simulation.run();
        }
    }

    @DirtiesContext(classMode = DirtiesContext.ClassMode.BEFORE_CLASS)
    static class InAContextOfItsOwn extends InTheKeptContext {}

    @Test
    void aContextWhoseExecutorsHaveThreadsIsRefusedAndMayBeMadeAnew() {
        assertThat(failureOf(InTheKeptContext.class, "notSimulated")).isEmpty();
        assertThat(failureOf(InTheKeptContext.class, "simulated", Simulation.class))
                .hasValueSatisfying(failure -> assertThat(failure)
                        .hasStackTraceContaining("the executor was used before")
                        .hasStackTraceContaining("@DirtiesContext(classMode = BEFORE_CLASS)"));
        assertThat(failureOf(InAContextOfItsOwn.class, "simulated", Simulation.class))
                .isEmpty();
    }

    /** With context-propagation on the class path, as here, the executor passes work to the pool through a wrapper. */
    @SpringBootTest(
            classes = Application.class,
            properties = {"spring.application.name=pool", "ordered-executor.executor=applicationTaskExecutor"})
    static class OnAPoolOfTheApplication {
        @Autowired
        Accounts accounts;

        @SimulationTest(runs = 3)
        void simulated(Simulation simulation) {
            simulation.thread("alice", () -> accounts.deposit("joint", 1));
            simulation.run();
        }
    }

    @Test
    void anExecutorOnAPoolOfTheApplicationIsSimulated() {
        assertThat(failureOf(OnAPoolOfTheApplication.class, "simulated", Simulation.class))
                .isEmpty();
    }

    @Test
    void poolsOfSpringAreSimulated() {
        SchedulingTaskExecutor pool = work -> {
            throw new AssertionError("not simulated");
        };
        Set<String> ran = new HashSet<>();
        try (StripedExecutor executor =
                StripedExecutor.builder().executor(work -> pool.execute(work)).build()) {
            assertThat(SimulationRunner.named("direct").runs(1).find(simulation -> executor.execute("a", () -> {})))
                    .as("else the pool says nothing")
                    .isPresent();
        }
        try (StripedExecutor executor = StripedExecutor.builder().executor(pool).build()) {
            SimulationRunner.named("pools").runs(1).run(simulation -> executor.execute("alice", () -> ran.add("it")));
        }
        assertThat(ran).containsExactly("it");
    }

    private static Optional<Throwable> failureOf(Class<?> test, String method, Class<?>... parameters) {
        List<TestExecutionResult> results = new ArrayList<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectMethod(test, method, parameters))
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest()) {
                                    results.add(result);
                                }
                            }
                        });
        assertThat(results).hasSize(1);
        return results.get(0).getThrowable();
    }
}
