package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import io.orderedexecutor.spring.fixtures.Journal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** A context whose parent has the auto-configuration, too: its own beans are not those that the parent's look at. */
@Timeout(60)
class ChildContextTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    private static void withChild(
            ApplicationContextRunner parents,
            ApplicationContextRunner children,
            Consumer<AssertableApplicationContext> test) {
        parents.run(parent -> {
            assertThat(parent).hasNotFailed();
            children.withParent(parent).run(test::accept);
        });
    }

    @Test
    void callsInAParentAndInAChildTakeTurns() {
        Journal journal = new Journal();
        withChild(
                contexts.withBean("inParent", Turns.class, () -> new Turns(journal)),
                contexts.withBean("inChild", Turns.class, () -> new Turns(journal)),
                child -> {
                    assertThat(child).hasNotFailed();
                    Turns inParent = child.getParent().getBean("inParent", Turns.class);
                    Turns inChild = child.getBean("inChild", Turns.class);
                    CountDownLatch end = new CountDownLatch(1);
                    CompletableFuture<String> first = inChild.hold("alice", end);
                    CompletableFuture<String> last = first;
                    for (int i = 0; i < 100; i++) {
                        last = (i % 2 == 0 ? inParent : inChild).write("alice", i);
                    }
                    end.countDown();
                    assertThat(last.orTimeout(30, TimeUnit.SECONDS).join()).startsWith("ordered-executor-");
                    assertThat(first.join()).startsWith("ordered-executor-");
                    journal.assertInOrder("alice", 100);
                });
    }

    static class Turns {
        private final Journal journal;

        Turns(Journal journal) {
            this.journal = journal;
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> hold(String account, CountDownLatch end) {
            Journal.await(end);
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> write(String account, int number) {
            journal.write(account, number);
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void aWrongExpressionInAChildFailsItsStart() {
        withChild(
                contexts,
                contexts.withBean(Misspelt.class),
                child -> assertThat(child).getFailure().rootCause().hasMessageContaining("the variable #acount"));
    }

    static class Misspelt {
        @OrderedAsync(stripe = "#acount")
        public void book(String account) {}
    }

    @Test
    void aChildHearsEventsOfTransactionsOfTheParentsManager() {
        withChild(
                contexts.withBean("manager", EmptyTransactions.class, EmptyTransactions::new),
                contexts.withBean(Listener.class),
                ChildContextTest::assertHeardInOrder);
    }

    @Test
    void aChildHearsEventsOfTransactionsOfItsOwnManager() {
        withChild(
                contexts,
                contexts.withBean("manager", EmptyTransactions.class, EmptyTransactions::new)
                        .withBean(Listener.class),
                child -> {
                    assertHeardInOrder(child);
                    assertThat(child.getBean(EmptyTransactions.class).getTransactionExecutionListeners())
                            .hasSize(1);
                });
    }

    @Test
    void theManagerOfAChildReservesPlacesBeforeItCommitsAlsoWithoutAListener() {
        withChild(
                contexts,
                contexts.withBean("manager", EmptyTransactions.class, EmptyTransactions::new),
                child -> assertThat(child.getBean(EmptyTransactions.class).getTransactionExecutionListeners())
                        .extracting(TransactionExecutionListener::toString)
                        .singleElement()
                        .asString()
                        .startsWith("PlacesBeforeCommit"));
    }

    private static void assertHeardInOrder(AssertableApplicationContext child) {
        assertThat(child).hasNotFailed();
        StripedExecutor executor = child.getBean(StripedExecutor.class);
        Listener listener = child.getBean(Listener.class);
        for (int i = 0; i < 10; i++) {
            Booked event = new Booked("alice", i, listener.heard());
            new TransactionTemplate(child.getBean(EmptyTransactions.class))
                    .executeWithoutResult(status -> child.publishEvent(event));
        }
        executor.submit("alice", () -> "the last")
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        assertThat(listener.heard()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    record Booked(String account, int number, List<Integer> heard) {}

    static class Listener {
        private final List<Integer> heard = new CopyOnWriteArrayList<>();

        public List<Integer> heard() {
            return heard;
        }

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void on(Booked event) {
            event.heard.add(event.number);
        }
    }

    @Test
    void aConfiguredExecutorOfAParentIsNotBuiltASecondTime() {
        ApplicationContextRunner configured = contexts.withPropertyValues("ordered-executor.striped.orders.threads=1");
        withChild(configured, configured.withBean(Orders.class), child -> {
            assertThat(child).hasNotFailed();
            StripedExecutor ofParent = child.getParent().getBean("orders", StripedExecutor.class);
            assertThat(child.getBean("orders")).isSameAs(ofParent);
            assertThat(child.getBean(Orders.class)
                            .ship("alice")
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("orders-1");
            // a future may complete before its task is counted
            await().until(() -> ofParent.inspect().stats().completed() == 1);
        });
    }

    static class Orders {
        @OrderedAsync(stripe = "#order", executor = "orders")
        public CompletableFuture<String> ship(String order) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void aConfiguredExecutorOfAChildMayHaveTheNameOfAnotherBeanOfItsParent() {
        withChild(
                contexts.withBean("orders", String.class, () -> "no executor"),
                contexts.withPropertyValues("ordered-executor.striped.orders.threads=1"),
                child -> {
                    assertThat(child).hasNotFailed();
                    assertThat(child.getBean("orders")).isInstanceOf(StripedExecutor.class);
                });
    }
}
