package io.orderedexecutor.transactions;

/**
 * A row was changed.
 *
 * @param row its key
 * @param version its version, which counts the changes that were committed
 */
record Changed(int row, int version) {}
