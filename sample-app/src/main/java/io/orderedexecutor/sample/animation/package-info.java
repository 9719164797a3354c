/**
 * An animation that is rendered while it is watched: the frames of a GIF are rendered by all processors in parallel,
 * and each is sent as soon as those before it are.
 *
 * <p>The {@code AnimationController} puts it together: {@code Animation} renders a frame, with a {@code JuliaSet} on
 * it, which is the work; {@code GifWriter} sends the frames one after another, which is the output of an
 * {@link io.orderedexecutor.OrderedOutputExecutor}.
 */
@NullMarked
package io.orderedexecutor.sample.animation;

import org.jspecify.annotations.NullMarked;
