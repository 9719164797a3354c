/**
 * Not API. Parallel work with ordered output.
 *
 * <p>A {@link Piece} is a piece of work, its future and its place in one object; {@link PieceState} says who may do
 * something with it. {@link PieceStarter} finds a thread for it, by a {@link PieceCaller} if one hand-over may stand
 * for many; {@link PieceAges} says when it came. {@link PieceLife} runs a piece concurrently with others, at most as
 * many as the {@link ConcurrencyLimit} allows, and {@link AfterWork} decides what follows; a {@link PieceStage} listens
 * to work that is asynchronous; {@link PieceEnd} ends what is not written. The places are in {@link Slots}.
 * {@link OutputServer} is the right to write, and {@link ResultWriter} passes each result to the consumer;
 * {@link Flushes} are those who wait for that. All of these belong to one {@link OutputSequence}, and run on the
 * {@link PieceHost}.
 *
 * <p>{@link OutputEngine} opens outputs. The {@link OutputTable} has those that have pieces, in an
 * {@link OutputSegment} each, and {@link OutputControl} steers them.
 *
 * <p>Uses {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.output;

import org.jspecify.annotations.NullMarked;
