/** A report whose rows are worked out in parallel and written in order: an ordered output executor. */
@NullMarked
package io.orderedexecutor.sample.report;

import org.jspecify.annotations.NullMarked;
