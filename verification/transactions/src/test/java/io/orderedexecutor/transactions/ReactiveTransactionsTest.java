package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalEventPublisher;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** Reactive transactions are bound to no thread: their events are refused, and the transaction rolls back. */
class ReactiveTransactionsTest {

    static class Listener {
        @OrderedTransactionalEventListener(stripe = "#event.row")
        public void on(Changed event) {
            throw new AssertionError("never called");
        }
    }

    /** Its transactions are of nothing. */
    static final class ReactiveTransactions extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;

        private transient String end = "none";

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager synchronization) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager synchronization,
                Object transaction,
                TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(
                TransactionSynchronizationManager synchronization, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> end = "committed");
        }

        @Override
        protected Mono<Void> doRollback(
                TransactionSynchronizationManager synchronization, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> end = "rolled back");
        }
    }

    @Test
    void theirEventsAreRefused() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                .withBean(Listener.class)
                .run(context -> {
                    ReactiveTransactions manager = new ReactiveTransactions();
                    TransactionalEventPublisher publisher = new TransactionalEventPublisher(context);
                    Mono<Void> transaction = TransactionalOperator.create(manager)
                            .transactional(publisher.publishEvent(new Changed(1, 1)));
                    assertThatThrownBy(() -> transaction.block(Duration.ofSeconds(30)))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("Listener.on(Changed) cannot handle events of a reactive transaction")
                            .hasMessageContaining("Use a transaction of a PlatformTransactionManager");
                    assertThat(manager.end).isEqualTo("rolled back");
                });
    }
}
