/**
 * Not API. What an application submits, from its submission to its end: the future of a task, the reports of what
 * became of it, threads that wait for futures, and explanations of why something waits.
 *
 * <p>Uses {@link io.orderedexecutor.engine.pool} only.
 */
@NullMarked
package io.orderedexecutor.engine.task;

import org.jspecify.annotations.NullMarked;
