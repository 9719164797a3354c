package io.orderedexecutor.transactions;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.transaction.xa.XAResource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of JTA without resources, which know their state, call back, and can have subtransactions. What is
 * written in them stays.
 */
final class FakeJta implements TransactionManager, UserTransaction {
    private static final ThreadLocal<@Nullable Current> CURRENT = new ThreadLocal<>();

    private static final class Current implements Transaction {
        private final @Nullable Current outer;
        private final List<Synchronization> callbacks = new ArrayList<>();
        private int status = Status.STATUS_ACTIVE;

        Current(@Nullable Current outer) {
            this.outer = outer;
        }

        @Override
        public void commit() throws RollbackException {
            if (status == Status.STATUS_ACTIVE) {
                callbacks.forEach(Synchronization::beforeCompletion);
            }
            boolean commits = status == Status.STATUS_ACTIVE;
            end(commits ? Status.STATUS_COMMITTED : Status.STATUS_ROLLEDBACK);
            if (!commits) {
                throw new RollbackException("rollback-only");
            }
        }

        @Override
        public void rollback() {
            end(Status.STATUS_ROLLEDBACK);
        }

        private void end(int outcome) {
            status = outcome;
            callbacks.forEach(each -> each.afterCompletion(outcome));
        }

        @Override
        public void setRollbackOnly() {
            status = Status.STATUS_MARKED_ROLLBACK;
        }

        @Override
        public int getStatus() {
            return status;
        }

        @Override
        public void registerSynchronization(Synchronization callback) {
            callbacks.add(callback);
        }

        @Override
        public boolean enlistResource(XAResource resource) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean delistResource(XAResource resource, int flag) {
            throw new UnsupportedOperationException();
        }
    }

    private Current required() {
        return Objects.requireNonNull(CURRENT.get(), "no transaction");
    }

    @Override
    public void begin() {
        CURRENT.set(new Current(CURRENT.get()));
    }

    @Override
    public void commit() throws RollbackException {
        Current ending = required();
        try {
            ending.commit();
        } finally {
            CURRENT.set(ending.outer);
        }
    }

    @Override
    public void rollback() {
        Current ending = required();
        ending.rollback();
        CURRENT.set(ending.outer);
    }

    @Override
    public void setRollbackOnly() {
        required().setRollbackOnly();
    }

    @Override
    public int getStatus() {
        Current active = CURRENT.get();
        return active == null ? Status.STATUS_NO_TRANSACTION : active.status;
    }

    @Override
    public @Nullable Transaction getTransaction() {
        return CURRENT.get();
    }

    @Override
    public void setTransactionTimeout(int seconds) {}

    @Override
    public @Nullable Transaction suspend() {
        Current suspended = CURRENT.get();
        CURRENT.remove();
        return suspended;
    }

    @Override
    public void resume(Transaction suspended) {
        CURRENT.set((Current) suspended);
    }
}
