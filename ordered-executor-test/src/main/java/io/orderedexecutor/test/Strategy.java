package io.orderedexecutor.test;

/** How a simulation decides which thread goes on at a yield point. */
public enum Strategy {

    /**
     * At each yield point, one of the threads that can go on is chosen at random. In half of the runs, all of these
     * threads are equally likely; in the other half, the current thread is more likely to go on. This strategy finds
     * most defects, and is the default.
     */
    RANDOM,

    /**
     * Probabilistic concurrency testing: threads have random priorities, the thread with the highest priority goes on,
     * and at a few random steps the current thread gets the lowest priority. This strategy finds defects that need few
     * switches at the right steps, in long runs too. See "A randomized scheduler with probabilistic guarantees of
     * finding bugs", Burckhardt and others, 2010.
     */
    PCT,

    /**
     * Tries every schedule with a limited number of {@linkplain SimulationTest#preemptions preemptions}, one after the
     * other. A preemption is a point at which the current thread could go on, but another one does. This strategy is
     * for small cases: a test that has more schedules than runs fails, since not all schedules were tried.
     */
    EXHAUSTIVE
}
