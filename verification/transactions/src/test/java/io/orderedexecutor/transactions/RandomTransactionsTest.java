package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.transactions.TestApplication.Declared;
import io.orderedexecutor.transactions.TestApplication.Ordered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R12 at random: eight threads change 20 rows by JDBC and by JPA, one or two in a transaction, in whatever order, so
 * that some wait for locks until that fails or find that the version has changed. Some roll back, some only to a
 * savepoint, which only a JDBC manager has, and some take longer than they may. Half of them are
 * {@code @Transactional}, the others are of a {@link TransactionTemplate}. The executor is small, so that some find no
 * room.
 *
 * <p>A build makes fewer transactions than CI. A failure names its seed; run it again with
 * {@code -Dtransactions.seed=...}.
 */
@Tag("no-second-try")
class RandomTransactionsTest {
    private static final int THREADS = 8;
    private static final boolean IN_FULL = Boolean.getBoolean("tests.long");
    private static final int TRANSACTIONS = Integer.getInteger("transactions.count", IN_FULL ? 5_000 : 1_000);

    static {
        System.out.println("rounds: transactions.count " + TRANSACTIONS);
    }

    /** What has become of the transactions. */
    private record Tally(
            AtomicInteger committed,
            AtomicInteger rolledBack,
            AtomicInteger rejected,
            AtomicInteger timedOut,
            AtomicInteger failed,
            AtomicIntegerArray versions) {}

    /** A transaction that was to be rolled back. */
    private static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void byJdbcAndWithSavepoints(Database database) throws InterruptedException {
        theHandlerSeesExactlyTheCommittedVersionsInOrder(database, TestApplication.JDBC_ONLY);
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void byJdbcAndJpa(Database database) throws InterruptedException {
        theHandlerSeesExactlyTheCommittedVersionsInOrder(database, TestApplication.JDBC_AND_JPA);
    }

    private static void theHandlerSeesExactlyTheCommittedVersionsInOrder(Database database, String manager)
            throws InterruptedException {
        long seed = Long.getLong("transactions.seed", System.nanoTime());
        System.out.println("RandomTransactionsTest: -Dtransactions.seed=" + seed);
        Tally tally = new Tally(
                new AtomicInteger(),
                new AtomicInteger(),
                new AtomicInteger(),
                new AtomicInteger(),
                new AtomicInteger(),
                new AtomicIntegerArray(TestApplication.ROWS));
        try (ConfigurableApplicationContext context = TestApplication.start(
                database, Ordered.class, manager, "ordered-executor.threads=2", "ordered-executor.capacity=6")) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                ends.add(CompletableFuture.runAsync(
                        () -> {
                            for (int j = 0; j < TRANSACTIONS / THREADS; j++) {
                                transact(context, own, tally);
                            }
                        },
                        threads));
            }
            ends.forEach(CompletableFuture::join);
            threads.shutdown();
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            assertThat(executor.awaitIdle(Duration.ofSeconds(60))).isTrue();
            assertThat(executor.inspect().reserved().count()).isZero();
            assertThat(executor.inspect().stats().failed()
                            + executor.inspect().stats().cancelled())
                    .isZero();

            System.out.println("RandomTransactionsTest on " + database + ": " + tally);
            Journal journal = context.getBean(Ordered.class).journal();
            Rows rows = context.getBean(Rows.class);
            for (int row = 0; row < TestApplication.ROWS; row++) {
                int version = rows.version(row);
                assertThat(version).as("versions of row %d", row).isEqualTo(tally.versions.get(row));
                assertThat(journal.of(row))
                        .as("what was handled of row %d, -Dtransactions.seed=%d", row, seed)
                        .isEqualTo(IntStream.rangeClosed(1, version).boxed().toList());
            }
            assertThat(executor.inspect().rejections().capacity()).isEqualTo(tally.rejected.get());
            // each kind of end was met; failures are too rare to be met each time in a build
            assertThat(tally.committed.get()).isGreaterThan(TRANSACTIONS / 4);
            assertThat(tally.rolledBack.get()).isPositive();
            assertThat(tally.rejected.get()).isPositive();
            assertThat(tally.timedOut.get()).isPositive();
            assertThat(tally.failed.get()).isGreaterThanOrEqualTo(IN_FULL ? 1 : 0);
        }
    }

    private static void transact(ConfigurableApplicationContext context, SplittableRandom random, Tally tally) {
        PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
        Rows rows = context.getBean(Rows.class);
        List<Integer> changed = new ArrayList<>();
        boolean hasSavepoints = manager instanceof JdbcTransactionManager;
        boolean byJpa = !hasSavepoints && random.nextInt(2) == 0;
        int first = random.nextInt(TestApplication.ROWS);
        int second = random.nextInt(TestApplication.ROWS);
        int shape = random.nextInt(20);
        try {
            inTransaction(context, random.nextBoolean(), rollback -> {
                change(rows, byJpa, first, changed);
                if (shape < 3 && hasSavepoints) {
                    toASavepointAndBack(manager, rows, second);
                }
                if (shape < 8 && second != first) {
                    change(rows, byJpa, second, changed);
                }
                if (shape >= 18) {
                    throw new OnPurpose();
                }
                if (shape == 16) {
                    takeTooLong(context);
                    change(rows, byJpa, first, changed);
                    rows.version(first);
                }
                if (shape == 17) {
                    rollback.run();
                    changed.clear();
                }
            });
            tally.committed.incrementAndGet();
            changed.forEach(tally.versions::incrementAndGet);
        } catch (OnPurpose rolledBack) {
            tally.rolledBack.incrementAndGet();
        } catch (RejectedExecutionException rejected) {
            tally.rejected.incrementAndGet();
        } catch (TransactionTimedOutException timedOut) {
            tally.timedOut.incrementAndGet();
        } catch (NestedTransactionNotSupportedException noSavepoints) {
            throw new AssertionError("this test has tested no savepoints", noSavepoints);
        } catch (DataAccessException | TransactionException failed) {
            // a lock that was not to be had in time, a deadlock, or a version that has changed
            tally.failed.incrementAndGet();
        }
    }

    /** The work gets what marks its transaction as one to be rolled back. */
    private static void inTransaction(ApplicationContext context, boolean isDeclared, Consumer<Runnable> work) {
        if (isDeclared) {
            context.getBean(Declared.class)
                    .run(() -> work.accept(() ->
                            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly()));
        } else {
            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> work.accept(status::setRollbackOnly));
        }
    }

    /** Its next statement finds that the time of the transaction is over. */
    private static void takeTooLong(ApplicationContext context) {
        ConnectionHolder connection =
                (ConnectionHolder) TransactionSynchronizationManager.getResource(context.getBean(DataSource.class));
        Objects.requireNonNull(connection).setTimeoutInMillis(0);
    }

    private static void toASavepointAndBack(PlatformTransactionManager manager, Rows rows, int row) {
        TransactionTemplate nested = new TransactionTemplate(
                Objects.requireNonNull(manager),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
        nested.executeWithoutResult(inner -> {
            rows.changeByJdbc(row);
            inner.setRollbackOnly();
        });
    }

    private static void change(Rows rows, boolean byJpa, int row, List<Integer> changed) {
        if (byJpa) {
            rows.changeByJpa(row);
        } else {
            rows.changeByJdbc(row);
        }
        changed.add(row);
    }
}
