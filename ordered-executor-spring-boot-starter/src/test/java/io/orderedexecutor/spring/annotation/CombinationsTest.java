package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Journal;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * With Spring's own annotations on the same method: whatever they do happens inside the task, each time that it runs.
 */
class CombinationsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withBean(Journal.class)
            .withBean(Service.class);

    @Test
    void aTransactionBeginsAndEndsInsideTheTask() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            String thread = service.transactional("a").get(30, TimeUnit.SECONDS);
            assertThat(thread).startsWith("ordered-executor-").endsWith(" in a transaction");
            assertThat(context.getBean(Transactions.class).ended)
                    .containsExactly("commit on " + thread.replace(" in a transaction", ""));
        });
    }

    @Test
    void aFailureRollsBack() {
        contexts.run(context -> {
            CompletableFuture<String> failed = context.getBean(Service.class).failing("a", 1);
            assertThatThrownBy(() -> failed.get(30, TimeUnit.SECONDS)).hasMessageContaining("attempt 1");
            assertThat(context.getBean(Transactions.class).ended)
                    .singleElement()
                    .asString()
                    .startsWith("rollback on ordered-executor-");
        });
    }

    /** An invocation that is proceeded with twice skips all advice the second time. */
    @Test
    void everyAttemptOfTheExecutorHasATransactionOfItsOwn() {
        contexts.withPropertyValues("ordered-executor.retry.max-retries=2", "ordered-executor.retry.delay=0")
                .run(context -> {
                    assertThat(context.getBean(Service.class).failing("a", 2).get(30, TimeUnit.SECONDS))
                            .isEqualTo("attempt 3");
                    assertThat(context.getBean(Transactions.class).ended.stream()
                                    .map(end -> end.replaceAll(" on .*", "")))
                            .containsExactly("rollback", "rollback", "commit");
                });
    }

    @Test
    void aParkedCallRunsAgainWithItsTransaction() {
        Steps steps = new Steps();
        contexts.withBean("steps", Steps.class, () -> steps)
                .withPropertyValues("ordered-executor.failure-policy=park", "ordered-executor.executor=steps")
                .run(context -> {
                    CompletableFuture<String> call =
                            context.getBean(Service.class).failing("a", 1);
                    steps.runAll();
                    assertThat(call).isNotDone();
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    assertThat(executor.inspect().parkedTasks()).hasSize(1);
                    executor.control().resume("a");
                    steps.runAll();
                    assertThat(call).isCompletedWithValue("attempt 2");
                    assertThat(context.getBean(Transactions.class).ended).hasSize(2);
                });
    }

    @Test
    void failuresOfVoidMethodsAreToldEachTime() {
        List<String> told = new CopyOnWriteArrayList<>();
        AsyncUncaughtExceptionHandler handler = (failure, method, arguments) -> told.add(failure.getMessage());
        Steps steps = new Steps();
        contexts.withBean(AsyncUncaughtExceptionHandler.class, () -> handler)
                .withBean("steps", Steps.class, () -> steps)
                .withPropertyValues(
                        "ordered-executor.executor=steps",
                        "ordered-executor.retry.max-retries=2",
                        "ordered-executor.retry.delay=0")
                .run(context -> {
                    context.getBean(Service.class).failingSilently("a");
                    steps.runAll();
                    assertThat(told).containsExactly("attempt 1", "attempt 2", "attempt 3");
                });
    }

    /** The retry of Spring Framework is inside the task, which stays where it is in its stripe. */
    @Test
    void retriesOfSpringHappenInsideTheTask() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> retried = service.retryable("a", 3);
            service.write("a", 0);
            assertThat(retried.get(30, TimeUnit.SECONDS)).isEqualTo("attempt 4");
            Journal journal = context.getBean(Journal.class);
            journal.await("a", 1);
            journal.assertInOrder("a", 1);
            assertThat(targetOf(service).attemptsWhenWritten).isEqualTo(4);
        });
    }

    @Test
    void transactionalEventListenersRunAfterTheCommit() {
        contexts.run(context -> {
            TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Journal journal = context.getBean(Journal.class);
            for (int i = 0; i < 50; i++) {
                int number = i;
                template.executeWithoutResult(status -> context.publishEvent(new Booked("events", number)));
                template.executeWithoutResult(status -> {
                    context.publishEvent(new Booked("never", number));
                    status.setRollbackOnly();
                });
            }
            journal.await("events", 50);
            journal.assertInOrder("events", 50);
            journal.assertStripes("events");
            assertThat(targetOf(context.getBean(Service.class)).eventsInTransactionsOfTheirOwn)
                    .hasSize(50)
                    .allMatch(thread -> thread.startsWith("ordered-executor-"));
        });
    }

    private static Service targetOf(Service proxy) {
        return AopTestUtils.getTargetObject(proxy);
    }

    record Booked(String account, int number) {}

    static class Service {
        private final Journal journal;
        private final List<String> eventsInTransactionsOfTheirOwn = new CopyOnWriteArrayList<>();
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile int attemptsWhenWritten;

        Service(Journal journal) {
            this.journal = journal;
        }

        @OrderedAsync(stripe = "#account")
        @Transactional
        public CompletableFuture<String> transactional(String account) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName() + inTransaction());
        }

        @OrderedAsync(stripe = "#account")
        @Transactional
        public CompletableFuture<String> failing(String account, int failures) {
            return CompletableFuture.completedFuture(attempt(failures));
        }

        @OrderedAsync(stripe = "#account")
        public void failingSilently(String account) {
            attempt(Integer.MAX_VALUE);
        }

        @OrderedAsync(stripe = "#account")
        @Retryable(maxRetries = 5, delay = 1)
        public CompletableFuture<String> retryable(String account, int failures) {
            return CompletableFuture.completedFuture(attempt(failures));
        }

        @OrderedAsync(stripe = "#account")
        public void write(String account, int number) {
            attemptsWhenWritten = attempts.get();
            journal.write(account, number);
        }

        @OrderedAsync(stripe = "#event.account")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @TransactionalEventListener
        public void on(Booked event) {
            if (!inTransaction().isEmpty()) {
                eventsInTransactionsOfTheirOwn.add(Thread.currentThread().getName());
            }
            journal.write(event.account(), event.number());
        }

        private String attempt(int failures) {
            int attempt = attempts.incrementAndGet();
            if (attempt <= failures) {
                throw new IllegalStateException("attempt " + attempt);
            }
            return "attempt " + attempt;
        }

        private static String inTransaction() {
            return TransactionSynchronizationManager.isActualTransactionActive() ? " in a transaction" : "";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableResilientMethods
    static class Transactions {
        final List<String> ended = new CopyOnWriteArrayList<>();

        @Bean
        PlatformTransactionManager transactionManager() {
            return new Recording(ended);
        }
    }

    /** A real transaction manager whose transactions are of nothing. */
    static final class Recording extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        private final transient List<String> ended;

        Recording(List<String> ended) {
            this.ended = ended;
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            ended.add("commit on " + Thread.currentThread().getName());
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            ended.add("rollback on " + Thread.currentThread().getName());
        }
    }
}
