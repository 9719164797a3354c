package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.transaction.OrderedTransactions;
import io.orderedexecutor.transactions.TestApplication.Ordered;
import io.orderedexecutor.transactions.TestApplication.Plain;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R12: of two transactions that lock the same row before they commit, the tasks of one key run in the order of the
 * commits; and a transaction whose task cannot be accepted rolls back.
 */
@Tag("no-second-try")
class CommitOrderTest {
    /** The common pool may be one thread, which others use as well. */
    private static final Executor THREAD_OF_ITS_OWN = task -> new Thread(task).start();

    /** To start one takes longer than a test, so tests share them; each has rows of its own. */
    private static final Map<Database, ConfigurableApplicationContext> SHARED = new EnumMap<>(Database.class);

    private static ConfigurableApplicationContext shared(Database database) {
        return SHARED.computeIfAbsent(database, each -> TestApplication.start(each, Ordered.class));
    }

    @AfterAll
    static void close() {
        SHARED.values().forEach(ConfigurableApplicationContext::close);
    }

    /** T1 commits and stops before its callbacks; T2 changes the same row and goes through; then T1 goes on. */
    private static void overtake(ConfigurableApplicationContext context, int row, boolean byJpa) {
        TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
        Rows rows = context.getBean(Rows.class);
        CountDownLatch committed = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(
                () -> transaction.executeWithoutResult(status -> {
                    change(rows, row, byJpa);
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            committed.countDown();
                            await(goOn);
                        }
                    });
                }),
                THREAD_OF_ITS_OWN);
        await(committed);
        transaction.executeWithoutResult(status -> change(rows, row, byJpa));
        goOn.countDown();
        first.join();
        assertThat(rows.version(row)).isEqualTo(2);
    }

    private static void change(Rows rows, int row, boolean byJpa) {
        if (byJpa) {
            rows.changeByJpa(row);
        } else {
            rows.changeByJdbc(row);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("a latch is still at " + latch.getCount() + " after 30 s");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private static Journal journal(ConfigurableApplicationContext context) {
        return context.getBean(Ordered.class).journal();
    }

    private static void drain(ConfigurableApplicationContext context) {
        try {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
            assertThat(executor.inspect().reserved().count()).isZero();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void springsListenerAloneSeesTheLaterCommitFirst(Database database) {
        try (ConfigurableApplicationContext context = TestApplication.start(database, Plain.class)) {
            overtake(context, 1, false);
            assertThat(context.getBean(Plain.class).journal().of(1)).containsExactly(2, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void oursSeesTheCommitsInTheirOrder(Database database) {
        ConfigurableApplicationContext context = shared(database);
        overtake(context, 1, false);
        drain(context);
        assertThat(journal(context).of(1)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void soDoesOursWithJpa(Database database) {
        ConfigurableApplicationContext context = shared(database);
        overtake(context, 2, true);
        drain(context);
        assertThat(journal(context).of(2)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(value = Database.class, names = "H2")
    void jpaHasWrittenAndLockedWhenThePlaceIsReserved(Database database) {
        ConfigurableApplicationContext context = shared(database);
        TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        List<String> seen = new CopyOnWriteArrayList<>();
        // behind ours
        ((ConfigurableTransactionManager) context.getBean(PlatformTransactionManager.class))
                .addListener(new TransactionExecutionListener() {
                    @Override
                    public void beforeCommit(TransactionExecution execution) {
                        if (executor.inspect().reserved().count() == 1) {
                            seen.add("reserved");
                            seen.add(CompletableFuture.supplyAsync(() -> isLocked(jdbc), THREAD_OF_ITS_OWN)
                                    .join());
                        }
                    }
                });
        transaction.executeWithoutResult(status -> context.getBean(Rows.class).changeByJpa(3));
        drain(context);
        assertThat(seen).containsExactly("reserved", "locked");
    }

    private static String isLocked(JdbcTemplate jdbc) {
        try {
            jdbc.queryForList("select id from row_of_test where id = 3 for update nowait");
            return "not locked";
        } catch (DataAccessException locked) {
            return "locked";
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void aFullExecutorRollsTheTransactionBack(Database database) {
        try (ConfigurableApplicationContext context = TestApplication.start(
                database,
                Ordered.class,
                "ordered-executor.capacity=1",
                "ordered-executor.overflow=block",
                "ordered-executor.overflow-timeout=1h")) {
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            Rows rows = context.getBean(Rows.class);
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            try (Reservation all = executor.reserve("another")) {
                assertThatThrownBy(() -> transaction.executeWithoutResult(status -> rows.changeByJdbc(1)))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("has no room");
                assertThat(all.isOpen()).isTrue();
            }
            assertThat(rows.version(1)).isZero();
            transaction.executeWithoutResult(status -> rows.changeByJdbc(1));
            drain(context);
            executor.shutdown();
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> rows.changeByJdbc(1)))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("is shut down");
            assertThat(rows.version(1)).isEqualTo(1);
            assertThat(journal(context).of(1)).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Database.class, names = "H2")
    void onlyWhatIsCommittedRuns(Database database) {
        try (ConfigurableApplicationContext context =
                TestApplication.start(database, Ordered.class, TestApplication.JDBC_ONLY)) {
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            TransactionTemplate suspending =
                    new TransactionTemplate(Objects.requireNonNull(transaction.getTransactionManager()));
            suspending.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            Rows rows = context.getBean(Rows.class);
            transaction.executeWithoutResult(status -> {
                rows.changeByJdbc(1);
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> {
                rows.changeByJdbc(2);
                // a transaction of its own, which commits although this one does not
                suspending.executeWithoutResult(inner -> rows.changeByJdbc(3));
                // takes part in this one
                transaction.executeWithoutResult(inner -> rows.changeByJdbc(4));
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> {
                rows.changeByJdbc(5);
                suspending.executeWithoutResult(inner -> {
                    rows.changeByJdbc(6);
                    inner.setRollbackOnly();
                });
                rows.changeByJdbc(5);
            });
            transaction.executeWithoutResult(status -> {
                Object atFirst = status.createSavepoint();
                rows.changeByJdbc(7);
                status.rollbackToSavepoint(atFirst);
                rows.changeByJdbc(8);
                Object later = status.createSavepoint();
                rows.changeByJdbc(9);
                status.rollbackToSavepoint(later);
                rows.changeByJdbc(8);
            });
            TransactionTemplate nested =
                    new TransactionTemplate(Objects.requireNonNull(transaction.getTransactionManager()));
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            transaction.executeWithoutResult(status -> {
                nested.executeWithoutResult(inner -> rows.changeByJdbc(10));
                assertThat(executor.inspect().reserved().count())
                        .as("after the release of a savepoint")
                        .isZero();
                rows.changeByJdbc(10);
                assertThat(journal(context).of(10)).isEmpty();
            });
            drain(context);
            Journal journal = journal(context);
            assertThat(journal.of(10)).containsExactly(1, 2);
            assertThat(journal.of(3)).containsExactly(1);
            assertThat(journal.of(5)).containsExactly(1, 2);
            assertThat(journal.of(8)).containsExactly(1, 2);
            assertThat(journal.size()).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Database.class, names = "H2")
    void plainTasksOfATransactionRunAfterItsCommit(Database database) {
        ConfigurableApplicationContext context = shared(database);
        TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        List<String> ran = new CopyOnWriteArrayList<>();
        transaction.executeWithoutResult(status -> {
            OrderedTransactions.afterCommit(executor, "a", () -> ran.add("first"));
            OrderedTransactions.afterCommit(executor, "a", () -> ran.add("second"));
            assertThat(executor.inspect().reserved().count()).isZero();
        });
        transaction.executeWithoutResult(status -> {
            OrderedTransactions.afterCommit(executor, "a", () -> ran.add("never"));
            status.setRollbackOnly();
        });
        drain(context);
        assertThat(ran).containsExactly("first", "second");
        assertThatThrownBy(() -> OrderedTransactions.afterCommit(executor, "a", () -> ran.add("never")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("There is no transaction on this thread");
    }
}
