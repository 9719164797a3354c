package io.orderedexecutor.test;

/** A random number generator (SplitMix64) whose numbers depend only on the seed, in each version of the JDK. */
final class Randomness {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private long state;

    Randomness(long seed) {
        this.state = seed;
    }

    /** The seed of one of many runs. */
    static long seedOf(long base, long run) {
        return mix(base + (run + 1) * STEP);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a number from zero up to {@code bound}, exclusive. The distribution is even enough for small bounds. */
    int below(int bound) {
        state += STEP;
        return (int) ((mix(state) >>> 33) % bound);
    }

    boolean oneIn(int times) {
        return below(times) == 0;
    }
}
