package io.orderedexecutor.spring.annotation;

import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.ClassUtils;

/**
 * Whether the current thread is completing a transaction: it runs callbacks after the commit or the rollback, and still
 * holds the connection. Without spring-tx there are no transactions.
 */
final class TransactionCompletion {
    private static final boolean HAS_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionCompletion.class.getClassLoader());

    private TransactionCompletion() {}

    static boolean isUnderWay() {
        return HAS_TRANSACTIONS && Callbacks.areRunning();
    }

    /** Separate from the enclosing class, so that classes of spring-tx are loaded only if they are present. */
    private static final class Callbacks {
        private static final Set<String> CALLERS = Set.of("invokeAfterCommit", "invokeAfterCompletion");

        /**
         * Inspects the stack, since the synchronization manager does not distinguish callbacks before the commit from
         * callbacks after it. The stack of a thread without a transaction is not inspected.
         */
        static boolean areRunning() {
            boolean hasTransaction = TransactionSynchronizationManager.isActualTransactionActive()
                    || TransactionSynchronizationManager.isSynchronizationActive();
            return hasTransaction
                    && StackWalker.getInstance()
                            .walk(frames -> frames.anyMatch(frame -> CALLERS.contains(frame.getMethodName())
                                    && frame.getClassName().equals(TransactionSynchronizationUtils.class.getName())));
        }
    }
}
