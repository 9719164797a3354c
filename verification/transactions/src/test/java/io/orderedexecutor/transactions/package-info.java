/** The order of commits, on databases. */
@NullMarked
package io.orderedexecutor.transactions;

import org.jspecify.annotations.NullMarked;
