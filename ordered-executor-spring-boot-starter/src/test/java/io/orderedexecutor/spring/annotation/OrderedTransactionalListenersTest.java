package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.GroupedExecutorCustomizer;
import io.orderedexecutor.spring.autoconfigure.Meters;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import io.orderedexecutor.spring.fixtures.Steps;
import io.orderedexecutor.spring.transaction.OrderedTransactions;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** R12 in the starter: what listeners and tasks of transactions are, and the ways in which a transaction can end. */
@ExtendWith(OutputCaptureExtension.class)
class OrderedTransactionalListenersTest {
    private final Steps steps = new Steps();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withBean("steps", Steps.class, () -> steps)
            .withBean("manager", EmptyTransactions.class, EmptyTransactions::new)
            .withPropertyValues("ordered-executor.executor=steps", "spring.lifecycle.timeout-per-shutdown-phase=10ms");

    private static void inTransaction(ApplicationContext context, Consumer<TransactionStatus> work) {
        new TransactionTemplate(context.getBean(EmptyTransactions.class)).executeWithoutResult(work);
    }

    private static List<String> ran(ApplicationContext context) {
        Listeners target = AopTestUtils.getTargetObject(context.getBean(Listeners.class));
        return target.ran;
    }

    @Test
    void theThreeAnnotationsMeanTheSameAsTheOne() {
        contexts.withBean(Listeners.class).run(context -> {
            inTransaction(context, status -> {
                context.publishEvent(new Booked("alice"));
                assertThat(context.getBean(StripedExecutor.class)
                                .inspect()
                                .reserved()
                                .count())
                        .isZero();
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        assertThat(context.getBean(StripedExecutor.class)
                                        .inspect()
                                        .reserved()
                                        .count())
                                .as("places that were reserved before the commit")
                                .isEqualTo(2);
                    }
                });
            });
            steps.runAll();
            assertThat(ran(context)).containsExactlyInAnyOrder("confirm alice true", "report alice true");
            inTransaction(context, status -> {
                context.publishEvent(new Booked("bob"));
                status.setRollbackOnly();
            });
            context.publishEvent(new Booked("carol"));
            steps.runAll();
            assertThat(ran(context)).hasSize(2);
        });
    }

    @Test
    void conditionsAndKeysAreThoseOfThePublication() {
        contexts.withBean(Listeners.class).run(context -> {
            inTransaction(context, status -> {
                Account account = new Account("alice");
                context.publishEvent(new Opened(account));
                account.rename("nobody");
                context.publishEvent(new Opened(account));
            });
            steps.runAll();
            assertThat(ran(context)).containsExactly("opened nobody");
            assertThatThrownBy(
                            () -> inTransaction(context, status -> context.publishEvent(new Opened(new Account(null)))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is null for this call");
        });
    }

    @Test
    void withoutATransactionTheFallbackIsHandledAtOnce() {
        contexts.withBean(Fallback.class).run(context -> {
            context.publishEvent(new Booked("alice"));
            steps.runAll();
            Fallback target = AopTestUtils.getTargetObject(context.getBean(Fallback.class));
            assertThat(target.ran).containsExactly("alice");
        });
    }

    @Test
    void anUnknownOutcomeSkipsOrRuns(CapturedOutput output) {
        contexts.withBean(Listeners.class).run(context -> {
            context.getBean(EmptyTransactions.class).failure = new TransactionSystemException("connection lost");
            assertThatThrownBy(() -> inTransaction(context, status -> context.publishEvent(new Booked("alice"))))
                    .hasMessage("connection lost");
            steps.runAll();
            assertThat(ran(context)).isEmpty();
            assertThat(context.getBean(StripedExecutor.class)
                            .inspect()
                            .reserved()
                            .count())
                    .isZero();
        });
        assertThat(output)
                .contains("It is not known whether the transaction has committed, so Listeners.confirm of")
                .contains("does not run, unless an OrderedTransactionsPostProcessor bean says so");
        contexts.withBean(Listeners.class)
                .withBean(
                        OrderedTransactionsPostProcessor.class,
                        () -> new OrderedTransactionsPostProcessor(true, (executor, tasks) -> {}))
                .run(context -> {
                    context.getBean(EmptyTransactions.class).failure =
                            new TransactionSystemException("connection lost");
                    assertThatThrownBy(
                                    () -> inTransaction(context, status -> context.publishEvent(new Booked("alice"))))
                            .hasMessage("connection lost");
                    context.getBean(EmptyTransactions.class).failure = null;
                    steps.runAll();
                    assertThat(ran(context)).hasSize(2);
                });
    }

    @Test
    void whatAStoppedExecutorDoesNotAcceptIsHandedOver(CapturedOutput output) {
        List<Runnable> unfinished = new ArrayList<>();
        contexts.withBean(Listeners.class)
                .withBean(UnfinishedTasksHandler.class, () -> (executor, tasks) -> unfinished.addAll(tasks))
                .run(context -> {
                    context.getBean(EmptyTransactions.class).atCommit =
                            () -> context.getBean(StripedExecutor.class).shutdownNow();
                    inTransaction(context, status -> context.publishEvent(new Booked("alice")));
                    assertThat(unfinished)
                            .hasSize(2)
                            .allSatisfy(task -> assertThat(task)
                                    .isInstanceOfSatisfying(
                                            OrderedAsyncCall.class,
                                            call -> assertThat(call.arguments()).containsExactly(new Booked("alice"))));
                    context.getBean(EmptyTransactions.class).atCommit = () -> {};
                    unfinished.forEach(Runnable::run);
                    assertThat(ran(context)).hasSize(2);
                });
        assertThat(output).contains("The transaction has committed, but executor 'ordered-executor' did not accept");
    }

    @Test
    void aLeaseThatIsOverRunsLate(CapturedOutput output) {
        contexts.withBean(Listeners.class)
                .withBean(SimpleMeterRegistry.class)
                .withConfiguration(AutoConfigurations.of(Meters.AUTO_CONFIGURATION, MetricsAutoConfiguration.class))
                .withBean(
                        GroupedExecutorCustomizer.class,
                        () -> (name, builder) -> builder.reservationLease(Duration.ofMillis(1)))
                .run(context -> {
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    // Until this task has run, the places have no turn, so no lease begins before the commit does.
                    AtomicInteger before = new AtomicInteger();
                    executor.execute("alice", before::incrementAndGet);
                    context.getBean(EmptyTransactions.class).atCommit = () -> {
                        steps.runAll();
                        assertThat(before).hasValue(1);
                        // the end of a lease is reported to the uncaught exception handler
                        Awaitility.await()
                                .dontCatchUncaughtExceptions()
                                .until(() -> executor.inspect().reserved().count() == 0);
                    };
                    inTransaction(context, status -> context.publishEvent(new Booked("alice")));
                    context.getBean(EmptyTransactions.class).atCommit = () -> {};
                    // they are behind the places whose leases are over, which another thread may just be leaving
                    Awaitility.await().pollInSameThread().until(() -> {
                        steps.runAll();
                        return ran(context).size() == 2;
                    });
                    assertThat(before).hasValue(1);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("ordered.executor.transactions.late")
                                    .tags("name", "ordered-executor", "type", "grouped")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(2);
                });
        assertThat(output).contains("runs late, behind all queued tasks");
    }

    @Test
    void tasksNeedATransaction() {
        contexts.run(context -> assertThatThrownBy(() ->
                        OrderedTransactions.afterCommit(context.getBean(StripedExecutor.class), "alice", () -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("There is no transaction on this thread"));
    }

    @Test
    void theFutureOfATaskIsRefusedBeforeTheCommit() {
        contexts.run(context -> {
            StripedExecutor striped = context.getBean(StripedExecutor.class);
            GroupedExecutor grouped = GroupedExecutor.builder().build();
            CompletableFuture<Integer> future = grouped.submit(Groups.exclusive("alice"), () -> 1);
            assertThatThrownBy(() -> OrderedTransactions.afterCommit(striped, "alice", (Runnable) future))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pass the work itself");
            assertThatThrownBy(() ->
                            OrderedTransactions.afterCommit(grouped, Groups.exclusive("alice"), (Runnable) future))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pass the work itself");
            assertThat(future).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(1);
            grouped.close();
        });
    }

    // what fails the start

    @Test
    void anotherPhaseIsRefused() {
        contexts.withBean(BeforeCommit.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(
                                "@TransactionalEventListener(phase = BEFORE_COMMIT) is not in the order of commits"));
    }

    @Test
    void anExecutorThatDiscardsIsRefused() {
        contexts.withBean(Listeners.class)
                .withPropertyValues("ordered-executor.capacity=1", "ordered-executor.overflow=discard-oldest")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("the executor 'ordered-executor' discards its oldest queued task"));
    }

    @Test
    void aManagerThatDoesNotTellIsNamed() {
        contexts.withBean(Listeners.class)
                .withBean("silent", Silent.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("the transaction manager 'silent'")
                        .hasMessageContaining("does not announce its commits"));
    }

    record Booked(String account) {}

    record Opened(Account account) {}

    /** What an event refers to, and what changes afterwards. */
    public static final class Account {
        private @Nullable String name;

        Account(@Nullable String name) {
            this.name = name;
        }

        public @Nullable String getName() {
            return name;
        }

        void rename(String name) {
            this.name = name;
        }
    }

    static class Listeners {
        private final List<String> ran = new ArrayList<>();

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void confirm(Booked event) {
            ran.add("confirm " + event.account() + " " + TransactionSynchronizationManager.isActualTransactionActive());
        }

        @TransactionalEventListener
        @OrderedAsync(stripe = "#event.account")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void report(Booked event) {
            ran.add("report " + event.account() + " " + TransactionSynchronizationManager.isActualTransactionActive());
        }

        @OrderedTransactionalEventListener(
                stripe = "#event.account.name",
                condition = "#event.account.name != 'nobody'")
        public void opened(Opened event) {
            ran.add("opened " + event.account().getName());
        }
    }

    static class Fallback {
        private final List<String> ran = new ArrayList<>();

        @OrderedTransactionalEventListener(stripe = "#event.account", fallbackExecution = true)
        public void on(Booked event) {
            ran.add(event.account());
        }
    }

    static class BeforeCommit {
        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @OrderedAsync(stripe = "#event.account")
        public void on(Booked event) {
            throw new AssertionError("never called");
        }
    }

    @EnableTransactionManagement
    static class Transactions {}

    /** One of an application's own. */
    static final class Silent implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }
}
