/**
 * Tasks of a transaction that run after its commit, in the order of the commits.
 *
 * <p>{@link io.orderedexecutor.spring.transaction.OrderedTransactions} is for applications. A
 * {@link io.orderedexecutor.spring.transaction.TransactionTask} is one task of a transaction;
 * {@link io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor} lets transaction managers tell before
 * they commit.
 */
@NullMarked
package io.orderedexecutor.spring.transaction;

import org.jspecify.annotations.NullMarked;
