/**
 * A page that shows what the executors do while they do it: {@code http://localhost:8080} in a browser.
 *
 * <p>A <em>scene</em> is one executor and its tasks, the {@link io.orderedexecutor.sample.live.Step steps}. Each step
 * takes its time and writes its {@link io.orderedexecutor.sample.live.Moment moments} into the
 * {@link io.orderedexecutor.sample.live.Journal}, from where they go to all browsers that look.
 */
@NullMarked
package io.orderedexecutor.sample.live;

import org.jspecify.annotations.NullMarked;
