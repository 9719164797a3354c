/**
 * Tasks of a transaction that run after its commit, in the order of the commits.
 *
 * <p>{@link io.orderedexecutor.spring.transaction.OrderedTransactions} is for applications.
 * {@link io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor} makes transaction managers announce
 * their commits, and accepts tasks with more features than a {@link Runnable}.
 */
@NullMarked
package io.orderedexecutor.spring.transaction;

import org.jspecify.annotations.NullMarked;
