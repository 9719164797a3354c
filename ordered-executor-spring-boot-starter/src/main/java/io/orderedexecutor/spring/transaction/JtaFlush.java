package io.orderedexecutor.spring.transaction;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.jta.JtaTransactionObject;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Flushes a JTA transaction that commits. Its entity managers belong to synchronizations, which close them before the
 * transaction manager announces the commit, so they are flushed directly before that: after all {@code beforeCommit}
 * callbacks, which may still change entities. Used by one thread.
 */
final class JtaFlush implements TransactionSynchronization {
    private final DefaultTransactionStatus transaction;
    private boolean commits;

    private JtaFlush(DefaultTransactionStatus transaction) {
        this.transaction = transaction;
    }

    /**
     * Takes part in a transaction that has just begun, if it is one of JTA, not nested in another one, and may write.
     */
    static void register(TransactionExecution begun) {
        if (begun instanceof DefaultTransactionStatus transaction
                && transaction.isNewTransaction()
                && !transaction.isReadOnly()
                && transaction.isNewSynchronization()
                && transaction.getTransaction() instanceof JtaTransactionObject) {
            TransactionSynchronizationManager.registerSynchronization(new JtaFlush(transaction));
        }
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        commits = true;
    }

    @Override
    public void beforeCompletion() {
        TransactionTasks tasks = commits ? TransactionTasks.current() : null;
        if (tasks != null && !transaction.isGlobalRollbackOnly()) {
            tasks.flushSynchronizations(transaction);
        }
    }

    /** Returns the highest precedence: entity managers are closed by later synchronizations. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
