package io.orderedexecutor.test;

/** How a simulation decides which thread goes on at a yield point. */
public enum Strategy {

    /**
     * At each yield point, any thread that can go on is as likely as any other; in some runs a thread is more likely to
     * stay than to be left. Finds most defects, and is the default.
     */
    RANDOM,

    /**
     * Probabilistic concurrency testing: threads have random priorities, the thread with the highest priority goes on,
     * and at a few random steps the current thread gets the lowest priority. Finds defects that need few switches at
     * the right steps, in long runs too. See "A randomized scheduler with probabilistic guarantees of finding bugs",
     * Burckhardt and others, 2010.
     */
    PCT,

    /**
     * Tries every schedule with a limited number of {@linkplain SimulationTest#preemptions preemptions}, one after the
     * other. A preemption is a point at which the current thread could go on, but another one does. For small cases: a
     * test that has more schedules than runs fails, since not all of them were tried.
     */
    EXHAUSTIVE
}
