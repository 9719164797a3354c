/** Savings accounts: deposits, transfers between two of them, statements of one, and the total of all. */
@NullMarked
package io.orderedexecutor.sample.transfers;

import org.jspecify.annotations.NullMarked;
