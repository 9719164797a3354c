package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.spring.transaction.OrderedTransactions;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.transaction.event.TransactionalApplicationListenerMethodAdapter;

/**
 * Adds events to the current transaction as tasks. The arguments and the keys of an event are determined when it is
 * published. The method is called after the commit, which submits the task to its place.
 */
final class OrderedTransactionalListener extends TransactionalApplicationListenerMethodAdapter {
    private static final String REACTIVE = "org.springframework.transaction.reactive.TransactionContext";

    private final OrderedAsyncOperation operation;
    private final String where;
    private final OrderedTransactionsPostProcessor transactions;
    private final List<SynchronizationCallback> callbacks = new CopyOnWriteArrayList<>();

    OrderedTransactionalListener(
            String beanName,
            Class<?> targetClass,
            Method method,
            OrderedAsyncOperation operation,
            String where,
            OrderedTransactionsPostProcessor transactions) {
        super(beanName, targetClass, method);
        this.operation = operation;
        this.where = where;
        this.transactions = transactions;
    }

    @Override
    public void addCallback(SynchronizationCallback callback) {
        callbacks.add(callback);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event.getSource().getClass().getName().equals(REACTIVE)) {
            throw new IllegalStateException(where + " cannot handle events of a reactive transaction: its commit is not"
                    + " bound to a thread, and its order is not known. Use a transaction of a"
                    + " PlatformTransactionManager, or @EventListener with @OrderedAsync");
        }
        if (OrderedTransactions.isActive()) {
            @Nullable Object[] arguments = shouldHandle(event) ? resolveArguments(event) : null;
            if (arguments != null) {
                transactions.add(
                        new EventTask(event, arguments, operation.submitter().placesFor(arguments)));
            }
        } else if (isDefaultExecution()) {
            processEvent(event);
        } else if (logger.isDebugEnabled()) {
            logger.debug("No transaction is active, so the event is not handled: " + event);
        }
    }

    private void handle(EventTask task, ReservedCall call) {
        callbacks.forEach(callback -> callback.preProcessEvent(task.event));
        try {
            Object result = call.make(() -> doInvoke(task.arguments));
            if (result != null) {
                handleResult(result);
            }
        } catch (RuntimeException | Error failure) {
            callbacks.forEach(callback -> callback.postProcessEvent(task.event, failure));
            throw failure;
        }
        callbacks.forEach(callback -> callback.postProcessEvent(task.event, null));
    }

    /** An event of a transaction. */
    private final class EventTask implements TransactionTask {
        private final ApplicationEvent event;
        private final @Nullable Object[] arguments;
        private final TaskSubmitter.Places places;
        private @Nullable ReservedCall call;

        EventTask(ApplicationEvent event, @Nullable Object[] arguments, TaskSubmitter.Places places) {
            this.event = event;
            this.arguments = arguments;
            this.places = places;
        }

        @Override
        public Reservation reserve() {
            return places.reserved().get();
        }

        @Override
        public Reservation late() {
            return places.late().get();
        }

        @Override
        public void use(Reservation place) {
            ReservedCall call = new ReservedCall(operation, arguments, place);
            this.call = call;
            handle(this, call);
            if (call.task() == null) {
                // no error: advice may end the call on purpose
                logger.warn(where + ": the transaction has committed, but the call for its event has not used its"
                        + " reserved place: other advice, or an object in place of the proxy, has taken the call, or"
                        + " the class of the bean has an annotation of its own, which was not known before");
            }
        }

        @Override
        public String executor() {
            return operation.submitter().executorReported().name();
        }

        @Override
        public Runnable asUnfinished() {
            Invocation task = call == null ? null : call.task();
            if (task == null) {
                ReservedCall unsubmitted = new ReservedCall(operation, arguments, null);
                unsubmitted.make(() -> doInvoke(arguments));
                task = unsubmitted.task();
            }
            return Objects.requireNonNull(task, "the call did not come to the proxy of its bean");
        }

        @Override
        public String toString() {
            return getTargetMethod().getDeclaringClass().getSimpleName() + "."
                    + getTargetMethod().getName() + " of " + event;
        }
    }
}
