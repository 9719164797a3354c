/**
 * Events over HTTP: a body of JSON objects, one on each line, of any length. An event that is not accepted is reported
 * with its place in the body, and holds up no other.
 */
@NullMarked
package io.orderedexecutor.sample.events;

import org.jspecify.annotations.NullMarked;
