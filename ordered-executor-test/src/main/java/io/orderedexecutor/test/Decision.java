package io.orderedexecutor.test;

/**
 * A decision at one point of a run.
 *
 * @param chosen from 0 to {@code options - 1}
 * @param options how many there were
 * @param isPreemption whether a thread was left that could go on, if {@code chosen} is not 0
 */
record Decision(int chosen, int options, boolean isPreemption) {}
