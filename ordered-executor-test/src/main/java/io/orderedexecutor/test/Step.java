package io.orderedexecutor.test;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a thread of a simulation did.
 *
 * @param thread the thread
 * @param what happened
 * @param executor the name of the executor that it happened to; null for what is none's
 * @param key the stripe, groups or output; null if there is none
 * @param nanos the time of the simulation
 */
record Step(
        String thread,
        String what,
        @Nullable String executor,
        @Nullable Object key,
        long nanos) {

    /** What {@link Object#toString} makes of the hash code, which is another one in each run. */
    private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{1,8}\\b");

    /** The executor and the key, as the name of a track; null if there is none. */
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

    /** The same in each run that takes the same course. */
    @Override
    public String toString() {
        String track = track();
        return Duration.ofNanos(nanos) + " " + thread + ": " + what + (track == null ? "" : " " + track);
    }
}
