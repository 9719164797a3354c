package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import io.orderedexecutor.transactions.TestApplication.Declared;
import io.orderedexecutor.transactions.TestApplication.Ordered;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.TransactionRequiredException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** R12: which entity managers a transaction with tasks flushes before it reserves their places. */
class FlushTest {
    /** As Spring Boot does without any configuration. */
    @Configuration(proxyBeanMethods = false)
    static class OfJpa {}

    /** As that of a second data source, whose transactions have nothing to do with JPA. */
    @Configuration(proxyBeanMethods = false)
    static class OfJdbc {
        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfJta {
        @Bean
        JtaTransactionManager transactionManager() {
            FakeJta jta = new FakeJta();
            return new JtaTransactionManager(jta, jta);
        }
    }

    private static ConfigurableApplicationContext start(Class<?> manager, String... properties) {
        ConfigurableApplicationContext context =
                TestApplication.startWith(Database.H2, List.of(Ordered.class, manager), properties);
        assertThat(context.getBeansOfType(PlatformTransactionManager.class)).hasSize(1);
        return context;
    }

    private static void assertHandled(ConfigurableApplicationContext context, int row) {
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        try {
            assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        assertThat(context.getBean(Ordered.class).journal().of(row)).containsExactly(1);
        assertThat(executor.inspect().reserved().count()).isZero();
    }

    private static void assertNothingCommittedOrRun(ConfigurableApplicationContext context, int... rows) {
        for (int row : rows) {
            assertThat(context.getBean(Rows.class).version(row))
                    .as("row %s", row)
                    .isZero();
        }
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        assertThat(executor.inspect().reserved().count()).isZero();
        assertThat(executor.inspect().stats().completed()).isZero();
    }

    private static void changeByJpa(ConfigurableApplicationContext context, int row, Runnable beforeUpdate) {
        context.getBean(Rows.class).changeByJpa(row);
        context.getBean(EntityManager.class).find(Row.class, row).beforeUpdate = beforeUpdate;
    }

    // JPA

    /** Hibernate would roll back without a word, and Spring would say that the transaction has committed. */
    @Test
    void aFlushThatMarksATransactionRollbackOnlyIsToldToTheCaller() {
        try (ConfigurableApplicationContext context = start(OfJpa.class)) {
            Runnable swallows = () -> {
                try {
                    context.getBean(Declared.class).run(() -> {
                        throw new UnsupportedOperationException();
                    });
                } catch (UnsupportedOperationException inTheSameTransaction) {
                    // which is rollback-only now
                }
            };
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> changeByJpa(context, 7, swallows)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("marked the transaction rollback-only");
            assertNothingCommittedOrRun(context, 7);
        }
    }

    /** Spring's managers would neither commit nor roll back: they take it for one that the commit has thrown. */
    @ParameterizedTest
    @ValueSource(classes = {OfJpa.class, OfJta.class})
    void anExceptionOfAnotherTransactionThatAFlushThrowsRollsBack(Class<?> manager) {
        try (ConfigurableApplicationContext context = start(manager)) {
            CannotCreateTransactionException failure = new CannotCreateTransactionException("no connection is left");
            List<Integer> ends = new ArrayList<>();
            assertThatThrownBy(() -> context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                        changeByJpa(context, 8, () -> {
                            throw failure;
                        });
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int end) {
                                ends.add(end);
                            }
                        });
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The flush before the commit has failed")
                    .hasMessageContaining("no connection is left")
                    .hasCause(failure);
            assertThat(ends).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
            assertNothingCommittedOrRun(context, 8);
        }
    }

    // JDBC

    private static void readByJpaAndChangeByJdbc(ConfigurableApplicationContext context, int row) {
        assertThat(context.getBean(EntityManager.class).find(Row.class, row)).isNotNull();
        context.getBean(Rows.class).changeByJdbc(row);
    }

    @Test
    void aTransactionOfJdbcCommitsAlthoughItHasReadByJpa() {
        try (ConfigurableApplicationContext context = start(OfJdbc.class)) {
            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> readByJpaAndChangeByJdbc(context, 1));
            assertHandled(context, 1);
        }
    }

    /** As with open-in-view: the entity manager is open when the places are reserved, even if it has no transaction. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void soItDoesIfTheEntityManagerIsOlderThanTheTransaction(boolean joins) {
        try (ConfigurableApplicationContext context = start(OfJdbc.class)) {
            EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
            try (EntityManager ofView = joins
                    ? factory.createEntityManager()
                    : ((EntityManagerFactoryInfo) factory).createNativeEntityManager(null)) {
                TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(ofView));
                context.getBean(TransactionTemplate.class)
                        .executeWithoutResult(status -> readByJpaAndChangeByJdbc(context, 2));
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
            assertHandled(context, 2);
        }
    }

    // JTA

    /** Looks whether the database has the change when the place has been reserved, which is before the commit. */
    private static List<String> seenBeforeCommit(ConfigurableApplicationContext context, int row) {
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        List<String> seen = new ArrayList<>();
        Thread caller = Thread.currentThread();
        ((ConfigurableTransactionManager) context.getBean(PlatformTransactionManager.class))
                .addListener(new TransactionExecutionListener() {
                    @Override
                    public void beforeCommit(TransactionExecution execution) {
                        // the listener has a transaction of its own
                        if (Thread.currentThread() == caller) {
                            seen.add(executor.inspect().reserved().count() + " place, version "
                                    + context.getBean(Rows.class).version(row));
                        }
                    }
                });
        return seen;
    }

    @Test
    void aTransactionOfJtaIsFlushedBeforeThePlaceIsReserved() {
        try (ConfigurableApplicationContext context = start(OfJta.class)) {
            List<String> seen = seenBeforeCommit(context, 3);
            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> context.getBean(Rows.class).changeByJpa(3));
            assertThat(seen).containsExactly("1 place, version 1");
            assertHandled(context, 3);
        }
    }

    @Test
    void soIsWhatItsLastCallbackChanges() {
        try (ConfigurableApplicationContext context = start(OfJta.class)) {
            List<String> seen = seenBeforeCommit(context, 4);
            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        context.getBean(Rows.class).changeByJpa(4);
                    }
                });
            });
            assertThat(seen).containsExactly("1 place, version 1");
            assertHandled(context, 4);
        }
    }

    @Test
    void aConstraintThatAFlushOfJtaViolatesReachesTheCallerAndReservesNothing() {
        try (ConfigurableApplicationContext context = start(OfJta.class)) {
            List<String> seen = seenBeforeCommit(context, 5);
            assertThatThrownBy(() -> context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                        context.getBean(Rows.class).changeByJpa(5);
                        Row copy = new Row();
                        copy.id = 6;
                        context.getBean(EntityManager.class).persist(copy);
                    }))
                    .isInstanceOf(DataIntegrityViolationException.class);
            assertThat(seen).as("calls of a listener behind ours").isEmpty();
            assertNothingCommittedOrRun(context, 5);
        }
    }

    @Test
    void soDoesWhatAFlushOfJtaHasCalledWithoutATransaction() {
        try (ConfigurableApplicationContext context = start(OfJta.class)) {
            TransactionRequiredException failure = new TransactionRequiredException("of another entity manager");
            assertThatThrownBy(() -> context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> changeByJpa(context, 11, () -> {
                                throw failure;
                            })))
                    .isInstanceOf(InvalidDataAccessApiUsageException.class)
                    .hasCause(failure);
            assertNothingCommittedOrRun(context, 11);
        }
    }

    /** Its commit is not that of the transaction, which still may roll back. */
    @Test
    void aSubtransactionOfJtaNeitherFlushesNorReserves() {
        try (ConfigurableApplicationContext context = start(OfJta.class)) {
            JtaTransactionManager manager = context.getBean(JtaTransactionManager.class);
            manager.setNestedTransactionAllowed(true);
            TransactionTemplate nested = new TransactionTemplate(
                    manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
            List<String> seen = seenBeforeCommit(context, 11);
            List<String> flushed = new ArrayList<>();
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                context.getBean(Rows.class).changeByJpa(11);
                nested.executeWithoutResult(sub -> atFlush(() -> flushed.add("once")));
            });
            assertThat(seen).containsExactly("0 place, version 0", "1 place, version 1");
            assertThat(flushed).containsExactly("once");
            assertHandled(context, 11);
        }
    }

    /** Its entity managers are not of JTA, as those of an application that uses JTA for messages only may be. */
    private static TransactionTemplate jtaBesideJpa(ConfigurableApplicationContext context) {
        FakeJta jta = new FakeJta();
        JtaTransactionManager manager = new JtaTransactionManager(jta, jta);
        context.getBean(OrderedTransactionsPostProcessor.class).postProcessAfterInitialization(manager, "jta");
        return new TransactionTemplate(manager);
    }

    private static void atFlush(Runnable flush) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void flush() {
                flush.run();
            }
        });
    }

    @Test
    void aTransactionOfJtaCommitsAlthoughItHasReadByAnEntityManagerThatIsNotOfJta() {
        try (ConfigurableApplicationContext context = start(OfJpa.class)) {
            List<String> flushed = new ArrayList<>();
            jtaBesideJpa(context).executeWithoutResult(status -> {
                readByJpaAndChangeByJdbc(context, 9);
                atFlush(() -> flushed.add("after it"));
            });
            assertHandled(context, 9);
            assertThat(flushed).containsExactly("after it");
        }
    }

    static List<RuntimeException> otherFailures() {
        return List.of(
                new UnsupportedOperationException(),
                new IllegalStateException("not written", new TransactionRequiredException()));
    }

    @ParameterizedTest
    @MethodSource("otherFailures")
    void anyOtherFailureOfItsFlushesReachesTheCaller(RuntimeException failure) {
        try (ConfigurableApplicationContext context = start(OfJpa.class)) {
            assertThatThrownBy(() -> jtaBesideJpa(context).executeWithoutResult(status -> {
                        assertThat(context.getBean(EntityManager.class).find(Row.class, 10))
                                .isNotNull();
                        atFlush(() -> {
                            throw failure;
                        });
                        atFlush(() -> {
                            throw new IllegalArgumentException("the second");
                        });
                        context.publishEvent(new Changed(10, 1));
                    }))
                    .isSameAs(failure);
            assertNothingCommittedOrRun(context, 10);
        }
    }
}
