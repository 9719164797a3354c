package io.orderedexecutor.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import io.orderedexecutor.spring.fixtures.Steps;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** R12: what can go wrong around a transaction, and that it costs no other task its place. */
class TransactionTasksTest {
    private final Steps steps = new Steps();
    private final StripedExecutor executor =
            StripedExecutor.builder().name("orders").executor(steps).build();
    private final EmptyTransactions transactions = new EmptyTransactions();
    private final List<Runnable> unfinished = new ArrayList<>();
    private final OrderedTransactionsPostProcessor places =
            new OrderedTransactionsPostProcessor(false, (name, tasks) -> unfinished.addAll(tasks));
    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void listen() {
        places.postProcessAfterInitialization(transactions, "transactions");
    }

    @AfterEach
    void nothingIsLeft() {
        steps.runAll();
        assertThat(executor.inspect().reserved().count()).isZero();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        executor.close();
    }

    private void afterCommit(String task) {
        OrderedTransactions.afterCommit(executor, "alice", () -> ran.add(task));
    }

    private static void register(TransactionSynchronization callbacks) {
        TransactionSynchronizationManager.registerSynchronization(callbacks);
    }

    record Order(String customerId) {}

    interface Mails {
        void confirm(Order order);
    }

    @Test
    void aTaskWithoutAnEvent() {
        Mails mails = order -> ran.add(order.customerId());
        transactions.run(() -> {
            Order order = new Order("alice");
            OrderedTransactions.afterCommit(executor, order.customerId(), () -> mails.confirm(order));
        });
        steps.runAll();
        assertThat(ran).containsExactly("alice");
    }

    // tasks that hurt others

    /** A task that is used in a way of its own. */
    private abstract class Odd implements TransactionTask {
        @Override
        public Reservation reserve() {
            return executor.with(Overflow.reject()).reserve("bob");
        }

        @Override
        public Reservation late() {
            return LatePlace.of(executor.with(Overflow.reject()), "bob");
        }

        @Override
        public void use(Reservation place) {
            throw new RejectedExecutionException("odd");
        }

        @Override
        public String executor() {
            return "orders";
        }

        @Override
        public Runnable asUnfinished() {
            return () -> {};
        }
    }

    @Test
    void eachTaskIsSubmittedWhateverAnotherOneDoes() {
        transactions.run(() -> {
            OrderedTransactions.add(new Odd() {
                @Override
                public Runnable asUnfinished() {
                    throw new IllegalStateException("there is no such task");
                }
            });
            OrderedTransactions.add(new Odd() {
                @Override
                public String toString() {
                    throw new IllegalStateException("a lazy field of a closed session");
                }
            });
            OrderedTransactions.add(new Odd() {
                @Override
                public void use(Reservation place) {
                    throw new AssertionError("odd");
                }
            });
            afterCommit("last");
        });
        steps.runAll();
        assertThat(ran).containsExactly("last");
        assertThat(unfinished).hasSize(2);
    }

    @Test
    void anUnknownOutcomeOfATaskThatCannotBeShown() {
        transactions.failure = new TransactionSystemException("connection lost");
        assertThatThrownBy(() -> transactions.run(() -> {
                    OrderedTransactions.add(new Odd() {
                        @Override
                        public String toString() {
                            throw new IllegalStateException("a lazy field of a closed session");
                        }
                    });
                    afterCommit("never");
                }))
                .hasMessage("connection lost");
        steps.runAll();
        assertThat(executor.inspect().reserved().count()).isZero();
        assertThat(ran).isEmpty();
    }

    /** A lease may end between a look at the place and its use, however often one is reserved. */
    @Test
    void leasesThatEndAtTheUseOfTheirPlaces() {
        Reservation over = executor.reserve("alice");
        over.close();
        transactions.run(() -> OrderedTransactions.add(new Odd() {
            @Override
            public Reservation reserve() {
                return new OpenUntilUsed(over);
            }

            @Override
            public void use(Reservation place) {
                place.execute(() -> ran.add("late"));
            }
        }));
        steps.runAll();
        assertThat(ran).containsExactly("late");
        assertThat(unfinished).isEmpty();
        assertThat(places.late("orders")).isEqualTo(1);
        assertThat(places.late("another")).isZero();
    }

    @Test
    void whatHasNoPlaceIsSubmittedOrHandedOver() {
        for (boolean accepts : new boolean[] {true, false}) {
            if (!accepts) {
                executor.shutdown();
            }
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            // its manager does not announce its commits
            places.add(new Unreserved());
            commit();
            assertThat(ran).containsExactly("late");
            assertThat(unfinished).hasSize(accepts ? 0 : 1);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whatNobodyCanBeToldOfIsInTheLog(CapturedOutput output) {
        executor.shutdown();
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        OrderedTransactions.add(new Unreserved());
        commit();
        assertThat(ran).isEmpty();
        assertThat(output)
                .contains("but executor 'orders' did not accept a mail")
                .contains("a mail could not be handed to the UnfinishedTasksHandler beans")
                .contains("No UnfinishedTasksHandler is known");
    }

    private void commit() {
        List<TransactionSynchronization> callbacks = TransactionSynchronizationManager.getSynchronizations();
        TransactionSynchronizationManager.clear();
        callbacks.forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_COMMITTED));
        steps.runAll();
    }

    private final class Unreserved extends Odd {
        @Override
        public Reservation reserve() {
            throw new IllegalStateException("called when the locks are gone");
        }

        @Override
        public void use(Reservation place) {
            place.execute(() -> ran.add("late"));
        }

        @Override
        public String toString() {
            return "a mail";
        }
    }

    /** A handler would run it a second time. */
    @Test
    void whatWasAcceptedIsNotHandedOver() {
        transactions.run(() -> OrderedTransactions.add(new Odd() {
            @Override
            public void use(Reservation place) {
                place.execute(() -> ran.add("once"));
                throw new IllegalStateException("of a callback after the submission");
            }
        }));
        steps.runAll();
        assertThat(ran).containsExactly("once");
        assertThat(unfinished).isEmpty();
    }

    /** Says that it is open, and refuses. */
    private record OpenUntilUsed(Reservation place) implements Reservation {
        @Override
        public void execute(Runnable task) {
            place.execute(task);
        }

        @Override
        public <T> CompletableFuture<T> submit(Callable<T> task) {
            return place.submit(task);
        }

        @Override
        public <T> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task) {
            return place.submitAsync(task);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            place.close();
        }
    }

    // transactions around others

    @Test
    void aTransactionThatACallbackOfAnEndedOneBegins() {
        transactions.run(() -> {
            register(new TransactionSynchronization() {
                @Override
                public int getOrder() {
                    return HIGHEST_PRECEDENCE;
                }

                @Override
                public void afterCompletion(int status) {
                    transactions.run(() -> TransactionTasksTest.this.afterCommit("of the second"));
                }
            });
            afterCommit("of the first");
        });
        steps.runAll();
        assertThat(ran).containsExactly("of the first", "of the second");
    }

    @Test
    void aTransactionOfTheSameKeyThatIsBegunAfterTheCommit() {
        transactions.run(() -> {
            register(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    transactions.run(() -> TransactionTasksTest.this.afterCommit("of the second"));
                    assertThat(executor.inspect().reserved().count()).isEqualTo(1);
                }
            });
            afterCommit("of the first");
        });
        steps.runAll();
        assertThat(ran).containsExactly("of the first", "of the second");
    }

    @Test
    void whatIsAddedAfterTheCommitRuns() {
        for (boolean hasTasks : new boolean[] {true, false}) {
            ran.clear();
            transactions.run(() -> {
                register(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        TransactionTasksTest.this.afterCommit("after the commit");
                    }
                });
                if (hasTasks) {
                    afterCommit("before it");
                }
            });
            steps.runAll();
            assertThat(ran)
                    .containsExactlyElementsOf(
                            hasTasks ? List.of("before it", "after the commit") : List.of("after the commit"));
        }
    }

    /** A transaction that times out may be completed by a thread of its manager. */
    @Test
    void aTransactionThatAnotherThreadCompletes() {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        afterCommit("of the first");
        List<TransactionSynchronization> callbacks = TransactionSynchronizationManager.getSynchronizations();
        TransactionSynchronizationManager.clear();
        CompletableFuture.runAsync(() ->
                        callbacks.forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)))
                .join();
        transactions.run(() -> afterCommit("of the second"));
        steps.runAll();
        assertThat(ran).containsExactly("of the second");
    }

    @Test
    void contextsThatShareAManagerReserveOnce() {
        new OrderedTransactionsPostProcessor(false, (name, tasks) -> {})
                .postProcessAfterInitialization(transactions, "transactions");
        transactions.atCommit =
                () -> assertThat(executor.inspect().reserved().count()).isEqualTo(1);
        transactions.run(() -> afterCommit("once"));
        steps.runAll();
        assertThat(ran).containsExactly("once");
    }

    /** As if it is awaited with {@code block()} in a transaction of the thread. */
    @Test
    void aReactiveTransactionThatCommitsOnTheThreadReservesNothing() {
        ReactiveTransaction reactive = new ReactiveTransaction() {
            @Override
            public boolean isNewTransaction() {
                return true;
            }
        };
        transactions.run(() -> {
            afterCommit("of the transaction of the thread");
            transactions.getTransactionExecutionListeners().forEach(each -> each.beforeCommit(reactive));
            assertThat(executor.inspect().reserved().count()).isZero();
        });
        steps.runAll();
        assertThat(ran).containsExactly("of the transaction of the thread");
    }

    @Test
    void aRejectionNamesTheTaskAndWhatHappens() {
        executor.shutdown();
        assertThatThrownBy(() -> transactions.run(() -> OrderedTransactions.add(new Odd() {
                    @Override
                    public String toString() {
                        return "mail";
                    }
                })))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is shut down")
                .hasMessageEndingWith("; the transaction rolls back, as its mail could not run");
    }

    // transactions that cannot commit any more

    /** The places are all reserved before the first task can run. */
    @Test
    void aTransactionWithMoreTasksThanTheCapacityNeverCommits() {
        List<StripedExecutorBuilder> builders = List.of(
                StripedExecutor.builder().keyCapacity(3),
                StripedExecutor.builder().capacity(3));
        for (StripedExecutorBuilder builder : builders) {
            try (StripedExecutor bounded = builder.executor(steps).build()) {
                Runnable task = () -> ran.add("task");
                transactions.run(() -> {
                    for (int i = 0; i < 3; i++) {
                        OrderedTransactions.afterCommit(bounded, "alice", task);
                    }
                });
                steps.runAll();
                assertThat(ran).hasSize(3);
                assertThatThrownBy(() -> transactions.run(() -> {
                            for (int i = 0; i < 4; i++) {
                                OrderedTransactions.afterCommit(bounded, "alice", task);
                            }
                        }))
                        .isInstanceOf(RejectedExecutionException.class);
                steps.runAll();
                assertThat(ran).hasSize(3);
                ran.clear();
            }
        }
    }

    /** A callback may mark it after the manager has looked; the caller gets the exception of the manager. */
    @Test
    void aTransactionThatIsRollbackOnlyNeitherFlushesNorReserves() {
        transactions.atFlush = () -> ran.add("flushed");
        transactions.atCommit =
                () -> assertThat(executor.inspect().reserved().count()).isZero();
        for (boolean accepts : new boolean[] {true, false}) {
            if (!accepts) {
                executor.shutdown();
            }
            transactions.isRollbackOnly = false;
            assertThatThrownBy(() -> transactions.run(() -> {
                        afterCommit("never");
                        register(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                transactions.isRollbackOnly = true;
                            }
                        });
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
        }
        steps.runAll();
        assertThat(ran).isEmpty();
        assertThat(unfinished).isEmpty();
    }

    /** It rolls back without a word, as one of Hibernate does, if it is marked after the manager has looked. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aTransactionThatSpringTakesForCommittedAlthoughItIsRollbackOnly(CapturedOutput output) {
        EmptyTransactions marked = new EmptyTransactions();
        marked.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                marked.isRollbackOnly = true;
            }
        });
        places.postProcessAfterInitialization(marked, "marked");
        marked.run(() -> afterCommit("never"));
        steps.runAll();
        assertThat(ran).isEmpty();
        assertThat(unfinished).isEmpty();
        assertThat(output).contains("It is not known whether the transaction has committed");
    }

    /** Spring's managers commit it, as they look at the status before the callbacks only. */
    @Test
    void aStatusThatIsMarkedTooLateToRollBackKeepsItsPlaces() {
        transactions.atCommit =
                () -> ran.add("committed with " + executor.inspect().reserved().count() + " place");
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            afterCommit("task");
            register(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    status.setRollbackOnly();
                }
            });
        });
        steps.runAll();
        assertThat(ran).containsExactly("committed with 1 place", "task");
    }

    // flushing

    @Test
    void whatAFlushPublishesIsInOrder() {
        transactions.atFlush = () -> afterCommit("published by the flush");
        transactions.run(() -> afterCommit("before"));
        steps.runAll();
        assertThat(ran).containsExactly("before", "published by the flush");
    }

    @Test
    void aReadOnlyTransactionIsNotFlushed() {
        transactions.atFlush = () -> ran.add("flushed");
        TransactionTemplate readOnly = new TransactionTemplate(transactions);
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> afterCommit("of a transaction that reads"));
        steps.runAll();
        assertThat(ran).containsExactly("of a transaction that reads");
    }

    // the cost for others

    @Test
    void transactionsWithoutTasksAllocateNothingMore() {
        TransactionExecutionListener listener =
                transactions.getTransactionExecutionListeners().iterator().next();
        TransactionExecution transaction = new SimpleTransactionStatus();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 5_000;
        double least = Double.MAX_VALUE;
        // in the first rounds classes are loaded, and code is not compiled yet
        for (int i = 0; i < 10; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < count; call++) {
                listener.beforeCommit(transaction);
            }
            least = Math.min(least, (double) (threads.getCurrentThreadAllocatedBytes() - before) / count);
        }
        assertThat(least).isLessThan(1);
    }
}
