package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Steps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The thread that completes a transaction still has its connection, and the tasks that are to make room may need one.
 * All executors have room for one task, and let others wait for a day.
 */
@Timeout(60)
class TransactionCompletionTest {
    private static final String DOES_NOT_WAIT =
            "has no room: its capacity is 1 queued tasks; raise capacity; a call that is made while a"
                    + " transaction completes does not wait for room, since it would keep the connection of the "
                    + "transaction";

    private final Steps steps = new Steps();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withUserConfiguration(CombinationsTest.Transactions.class)
            .withBean("steps", Steps.class, () -> steps)
            .withPropertyValues(
                    "ordered-executor.executor=steps",
                    "ordered-executor.capacity=1",
                    "ordered-executor.overflow=block",
                    "ordered-executor.overflow-timeout=1d",
                    "spring.lifecycle.timeout-per-shutdown-phase=10ms")
            .withBean(Service.class);

    @Test
    void aCallAfterTheCommitIsRejectedAtOnce() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            Service target = org.springframework.test.util.AopTestUtils.getTargetObject(service);
            service.book("alice");
            assertThatThrownBy(() -> afterCommit(context, () -> service.book("alice")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("grouped executor 'ordered-executor' " + DOES_NOT_WAIT);
            steps.runAll();
            service.transfer("alice", "bob");
            assertThatThrownBy(() -> afterCommit(context, () -> service.transfer("alice", "bob")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("grouped executor 'ordered-executor' " + DOES_NOT_WAIT);
            steps.runAll();
            afterCommit(context, () -> service.book("bob"));
            steps.runAll();
            assertThat(target.ran).containsExactly("book alice", "transfer alice bob", "book bob");
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().rejected())
                    .as("of both faces")
                    .isEqualTo(2);
        });
    }

    /** It does not wait for the room either. */
    @Test
    void anEventThatFindsNoRoomRollsItsTransactionBack() {
        contexts.run(context -> {
            Service target = org.springframework.test.util.AopTestUtils.getTargetObject(context.getBean(Service.class));
            inTransaction(context, () -> context.publishEvent(new Booked("alice")));
            assertThatThrownBy(() -> inTransaction(context, () -> context.publishEvent(new Booked("bob"))))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("grouped executor 'ordered-executor' has no room");
            steps.runAll();
            inTransaction(context, () -> context.publishEvent(new Booked("carol")));
            steps.runAll();
            assertThat(target.ran).containsExactly("event of alice", "event of carol");
        });
    }

    @Test
    void aCallInsideTheTransactionWaits() {
        contexts.withPropertyValues("ordered-executor.overflow-timeout=20ms").run(context -> {
            Service service = context.getBean(Service.class);
            service.book("alice");
            assertThatThrownBy(() -> inTransaction(context, () -> service.book("alice")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("no room became free within PT0.02S");
            steps.runAll();
        });
    }

    private ApplicationContextRunner ownExecutor(Overflow overflow) {
        return contexts.withBean(
                "own",
                StripedExecutor.class,
                () -> StripedExecutor.builder()
                        .name("own")
                        .executor(steps)
                        .capacity(1)
                        .overflow(overflow)
                        .build());
    }

    @Test
    void anExecutorOfTheApplicationDoesNotWaitEither() {
        ownExecutor(Overflow.block(Duration.ofDays(1))).run(context -> {
            Service service = context.getBean(Service.class);
            service.book("alice");
            assertThatThrownBy(() -> afterCommit(context, () -> service.book("alice")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("striped executor 'own' " + DOES_NOT_WAIT);
            steps.runAll();
        });
    }

    @Test
    @DisplayName("a method that waits for room, on an executor that rejects, is not told to wait for room")
    void theAdviceFitsTheMethod() {
        ownExecutor(Overflow.reject()).run(context -> {
            Service service = context.getBean(Service.class);
            Service target = org.springframework.test.util.AopTestUtils.getTargetObject(service);
            service.bookPatiently("alice");
            assertThatThrownBy(() -> afterCommit(context, () -> service.bookPatiently("bob")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("striped executor 'own' " + DOES_NOT_WAIT);
            assertThatThrownBy(() -> service.book("carol"))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageEndingWith("; raise capacity, or use Overflow.block or discardOldest");
            steps.runAll();
            assertThat(target.ran).containsExactly("patiently alice");
        });
    }

    private static void afterCommit(ApplicationContext context, Runnable call) {
        inTransaction(
                context,
                () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        call.run();
                    }
                }));
    }

    private static void inTransaction(ApplicationContext context, Runnable work) {
        Consumer<Object> body = status -> work.run();
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(body::accept);
    }

    record Booked(String account) {}

    static class Service {
        private final List<String> ran = new ArrayList<>();

        @OrderedAsync(stripe = "#account")
        public void book(String account) {
            ran.add("book " + account);
        }

        @OrderedAsync(stripe = "#account", overflow = OrderedAsync.OverflowMode.BLOCK, overflowTimeout = "1d")
        public void bookPatiently(String account) {
            ran.add("patiently " + account);
        }

        @OrderedAsync(groups = "{#from, #to}")
        public void transfer(String from, String to) {
            ran.add("transfer " + from + " " + to);
        }

        @OrderedAsync(stripe = "#event.account")
        @TransactionalEventListener
        public void on(Booked event) {
            ran.add("event of " + event.account());
        }
    }
}
