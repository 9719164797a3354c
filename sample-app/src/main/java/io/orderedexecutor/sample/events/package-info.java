/** Events over HTTP: a body of JSON objects, one on each line, of any length. */
@NullMarked
package io.orderedexecutor.sample.events;

import org.jspecify.annotations.NullMarked;
