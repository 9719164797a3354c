/**
 * Savings accounts: deposits, transfers between two of them, statements of one, and the total of all. Each call names
 * the accounts that it touches as groups, and so takes its place among the calls that it conflicts with.
 */
@NullMarked
package io.orderedexecutor.sample.transfers;

import org.jspecify.annotations.NullMarked;
