package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.concurrent.DelegatingSecurityContextExecutor;
import org.springframework.security.core.context.SecurityContextHolder;

/** A wrapper that gives tasks the context of their submitter goes around the executor of one stripe. */
class WrappedExecutorsTest {
    private static final int TASKS = 2_000;
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    @AfterEach
    void clear() {
        USER.remove();
        SecurityContextHolder.clearContext();
    }

    @Test
    @DisplayName("Micrometer's wrapper keeps the order, and gives tasks the thread-locals of their submitter")
    void ofMicrometer() {
        ContextRegistry registry = new ContextRegistry().registerThreadLocalAccessor("user", USER);
        ContextSnapshotFactory snapshots =
                ContextSnapshotFactory.builder().contextRegistry(registry).build();
        USER.set("alice");
        assertInOrder(executor -> snapshots.captureAll().wrapExecutor(executor), USER::get);
    }

    @Test
    @DisplayName("Spring Security's wrapper keeps the order, and gives tasks the user of their submitter")
    void ofSpringSecurity() {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", ""));
        assertInOrder(
                DelegatingSecurityContextExecutor::new,
                () -> SecurityContextHolder.getContext().getAuthentication().getName());
    }

    private static void assertInOrder(UnaryOperator<Executor> wrapper, Supplier<String> user) {
        Journal journal = new Journal();
        Queue<String> users = new ConcurrentLinkedQueue<>();
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            for (int i = 0; i < TASKS; i++) {
                int number = i;
                for (String account : new String[] {"savings", "wages"}) {
                    wrapper.apply(executor.executorFor(account)).execute(() -> {
                        journal.write(account, number);
                        users.add(user.get());
                    });
                }
            }
        }
        journal.assertInOrder("savings", TASKS);
        journal.assertInOrder("wages", TASKS);
        assertThat(users).hasSize(2 * TASKS).containsOnly("alice");
    }
}
