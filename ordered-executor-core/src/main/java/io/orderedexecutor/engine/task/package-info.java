/**
 * Not API. A task as the application sees it: its future, the reports of its end, threads that wait for futures, and
 * explanations of why something waits.
 *
 * <p>Uses {@link io.orderedexecutor.engine.pool} only.
 */
@NullMarked
package io.orderedexecutor.engine.task;

import org.jspecify.annotations.NullMarked;
