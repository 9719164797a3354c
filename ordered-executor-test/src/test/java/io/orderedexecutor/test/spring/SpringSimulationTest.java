package io.orderedexecutor.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.test.Simulation;
import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.SimulationTest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

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
}
