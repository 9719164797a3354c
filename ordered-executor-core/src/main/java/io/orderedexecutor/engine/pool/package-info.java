/**
 * Not API. Where a {@link java.lang.Runnable} finds a thread, and where time comes from.
 *
 * <p>{@link Workers} are the threads of an executor: its own ({@link WorkerPool}, which polls a {@link ReadyQueue}), or
 * those of an executor that the application has handed in ({@link BorrowedWorkers}). {@link Turn} says when a thread
 * changes to other work. {@link Platform} is the one place for clock, timers, parked and started threads; tests replace
 * it.
 *
 * <p>Uses nothing else of the engine.
 */
@NullMarked
package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.NullMarked;
