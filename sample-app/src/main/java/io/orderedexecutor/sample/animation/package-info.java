/**
 * A film that is drawn while it is watched: the pictures of an animated GIF are drawn by all processors at once, and
 * each is sent as soon as those before it are.
 *
 * <p>A {@code Film} tells what is on each picture, {@code JuliaSet} draws one, and {@code GifStream} writes one after
 * the other. The {@code AnimationController} puts them together: drawing is the work, and writing the output, of an
 * {@link io.orderedexecutor.OrderedOutputExecutor}.
 */
@NullMarked
package io.orderedexecutor.sample.animation;

import org.jspecify.annotations.NullMarked;
