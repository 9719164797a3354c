package io.orderedexecutor.stats;

import io.orderedexecutor.ExecutorControl;
import io.orderedexecutor.Groups;

/**
 * A failed task that holds its keys until {@link ExecutorControl#resume(Object) resume} or {@link ExecutorControl#skip
 * skip}.
 *
 * @param key what it was submitted to: its stripe, or in a grouped executor its {@link Groups}, also if it is a task of
 *     a stripe there. One of these is to be passed to resume or skip it
 * @param failure the exception of the task, that of a stage without its
 *     {@link java.util.concurrent.CompletionException}
 */
public record ParkedTask(Object key, Throwable failure) {}
