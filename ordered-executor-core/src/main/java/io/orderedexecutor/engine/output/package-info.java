/**
 * Not API. Parallel work with ordered output.
 *
 * <p>A {@link Piece} is a piece of work, its future and its place in one object; {@link PieceState} says who may do
 * something with it. {@link PieceCaller} finds threads for the pieces that wait, {@link PieceAges} says when they came.
 * {@link PieceLife} runs a piece concurrently with others, at most as many as the {@link ConcurrencyLimit} allows; a
 * {@link PieceStage} listens to work that is asynchronous; {@link PieceEnd} ends what is not written. The places are in
 * {@link Slots}. {@link OutputServer} is the right to write, and {@link ResultWriter} passes each result to the
 * consumer; {@link Flushes} are those who wait for that. All of these belong to one {@link OutputSequence}, and run on
 * the {@link PieceHost}.
 *
 * <p>{@link OutputEngine} opens outputs. The {@link OutputTable} has those that have pieces, in an
 * {@link OutputSegment} each, and {@link OutputControl} steers them.
 *
 * <p>Uses {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.output;

import org.jspecify.annotations.NullMarked;
