/**
 * A small bank that shows what the executors are for, one package for each.
 *
 * <ul>
 *   <li>{@code accounts}: deposits and withdrawals, in order for each client: a striped executor. {@code events}
 *       receives them over HTTP.
 *   <li>{@code transfers}: transfers between two savings accounts, statements of one, and the total of all: a grouped
 *       executor.
 *   <li>{@code report}: rows that are worked out in parallel and streamed in order: an ordered output executor.
 *   <li>{@code chat}: sessions with a slow model, and what happens to messages that come meanwhile.
 * </ul>
 *
 * <p>{@code live} is a page that shows all of them at work. {@code SimulatedDatabase} is the slow part of all work.
 * {@code UnfinishedCalls} reports what was not processed when the application had to end.
 *
 * <p>Errors are {@code application/problem+json}, also where Spring does not make it by itself: {@code BusyAdvice} and
 * {@code ProblemPage}. The texts for what Spring finds are in {@code messages.properties}.
 */
@NullMarked
package io.orderedexecutor.sample;

import org.jspecify.annotations.NullMarked;
