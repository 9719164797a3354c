package io.orderedexecutor.test;

/**
 * A decision at one point of a run.
 *
 * @param chosen from 0 to {@code options - 1}
 * @param options the number of options
 * @param isPreemption whether a choice other than 0 preempts a thread that could go on
 */
record Decision(int chosen, int options, boolean isPreemption) {}
