/**
 * Not API. Where a {@link java.lang.Runnable} finds a thread, and where time comes from.
 *
 * <p>{@link Workers} are the threads of an executor: its own ({@link WorkerPool}, with a {@link Worker} for each
 * thread, a {@link WorkerRoster} of who is idle, a {@link ReadyQueue} of what waits, and {@link RecentWork} to tell
 * whether it is worth a wake-up), or those of an executor that the application has handed in ({@link BorrowedWorkers}).
 * {@link Turn} and {@link TurnClock} say when a thread serves something else. {@link Platform} is the one place for
 * clock, timers, parked and started threads; tests take it over.
 *
 * <p>Uses nothing else of the engine.
 */
@NullMarked
package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.NullMarked;
