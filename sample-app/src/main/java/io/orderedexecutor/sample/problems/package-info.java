/**
 * What errors look like: {@code application/problem+json}, also where Spring does not make it by itself. The texts for
 * what Spring finds are in {@code messages.properties}.
 */
@NullMarked
package io.orderedexecutor.sample.problems;

import org.jspecify.annotations.NullMarked;
