/**
 * The accounts of clients. There are two banks, with accounts of their own: one books the events of a client in the
 * order in which it has accepted them, the other in any order.
 */
@NullMarked
package io.orderedexecutor.sample.accounts;

import org.jspecify.annotations.NullMarked;
