package io.orderedexecutor.test;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One action of a thread of a simulation.
 *
 * @param thread the thread
 * @param what the action, in the words of a report
 * @param executor the name of the executor that is concerned; null if there is none
 * @param key the stripe, groups or output; null if there is none
 * @param nanos the time of the action, in the simulation's time
 */
record Step(
        String thread,
        String what,
        @Nullable String executor,
        @Nullable Object key,
        long nanos) {

    /** The hash code in the result of {@link Object#toString}. It differs from run to run. */
    private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{1,8}\\b");

    /** Returns the executor and the key as the name of a track; null if there is no executor. */
    @Nullable
    String track() {
        return executor == null ? null : executor + "[" + (key == null ? "" : printable(key)) + "]";
    }

    private static String printable(Object key) {
        String text;
        try {
            text = String.valueOf(key);
        } catch (RuntimeException unprintable) {
            text = key.getClass().getSimpleName();
        }
        return IDENTITY.matcher(text).replaceAll("");
    }

    /** Returns a text that is equal in all runs that take the same course. */
    @Override
    public String toString() {
        String track = track();
        return Duration.ofNanos(nanos) + " " + thread + ": " + what + (track == null ? "" : " " + track);
    }
}
