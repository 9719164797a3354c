package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import java.util.Map;

/** Meters of tasks of transactions, with the tags of {@link OrderedExecutorMetrics}. */
final class OrderedTransactionsMetrics implements MeterBinder {
    private final Map<String, OrderedExecutor> executors;
    private final OrderedTransactionsPostProcessor transactions;

    OrderedTransactionsMetrics(
            Map<String, ? extends OrderedExecutor> executors, OrderedTransactionsPostProcessor transactions) {
        this.executors = Map.copyOf(executors);
        this.transactions = transactions;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed instanceof ManagedKeyedExecutor) {
                // plain tasks know the executor, not its bean
                String own = executor.name();
                FunctionCounter.builder(
                                OrderedExecutorMetrics.PREFIX + "transactions.late",
                                transactions,
                                counts -> counts.late(name) + (own.equals(name) ? 0 : counts.late(own)))
                        .description("Tasks of committed transactions that ran late: the lease of their place was over")
                        .baseUnit("tasks")
                        .tags(OrderedExecutorMetrics.tags(name, managed.type()))
                        .register(registry);
            }
        });
    }
}
