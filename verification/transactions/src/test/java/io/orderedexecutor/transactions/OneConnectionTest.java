package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R5 and R12: with a full pool below the executor, and one connection for all, the task of a committed transaction
 * needs the connection that the committing thread has still. It waits for that on another thread, and is not lost.
 */
@Tag("no-second-try")
@ExtendWith(OutputCaptureExtension.class)
class OneConnectionTest {
    private static final int COMMITS = 1_000;
    private static final int KEYS = 10;

    /** Needs the connection. */
    static class Listeners {
        private final Rows rows;
        private final TransactionTemplate transaction;
        private final Journal journal = new Journal();
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

        Listeners(Rows rows, TransactionTemplate transaction) {
            this.rows = rows;
            this.transaction = transaction;
        }

        Journal journal() {
            return journal;
        }

        Set<Thread> threads() {
            return threads;
        }

        @OrderedTransactionalEventListener(stripe = "#event.row")
        public void on(Changed event) {
            threads.add(Thread.currentThread());
            Integer version = transaction.execute(status -> rows.version(event.row()));
            assertThat(version).isGreaterThanOrEqualTo(event.version());
            journal.add(event);
        }
    }

    /** Has a pool of one thread and no queue: it is full while a task runs. */
    static class WithAFullPool {
        @Bean
        Listeners listeners(Rows rows, TransactionTemplate transaction) {
            return new Listeners(rows, transaction);
        }

        @Bean(destroyMethod = "shutdown")
        ThreadPoolExecutor threads() {
            return new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        }

        @Bean
        Executor pool(ThreadPoolExecutor threads) {
            return task -> threads.execute(task);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {TestApplication.JDBC_ONLY, TestApplication.JDBC_AND_JPA})
    void nothingIsLost(String manager, CapturedOutput output) throws InterruptedException {
        try (ConfigurableApplicationContext context = TestApplication.start(
                Database.H2,
                WithAFullPool.class,
                manager,
                "ordered-executor.executor=pool",
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=30000")) {
            boolean byJpa = manager.equals(TestApplication.JDBC_AND_JPA);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            Rows rows = context.getBean(Rows.class);
            for (int i = 0; i < COMMITS; i++) {
                int row = i % KEYS;
                transaction.executeWithoutResult(status -> {
                    if (byJpa) {
                        rows.changeByJpa(row);
                    } else {
                        rows.changeByJdbc(row);
                    }
                });
            }
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
            Listeners listeners = context.getBean(Listeners.class);
            for (int row = 0; row < KEYS; row++) {
                assertThat(listeners.journal().of(row))
                        .as("what was handled of row %d", row)
                        .isEqualTo(
                                IntStream.rangeClosed(1, COMMITS / KEYS).boxed().toList());
            }
            assertThat(listeners.threads()).doesNotContain(Thread.currentThread());
            assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, COMMITS, 0, 0, 0));
            assertThat(executor.inspect().reserved().count()).isZero();
        }
        assertThat(output).doesNotContain("ERROR");
    }
}
