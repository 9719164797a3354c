package io.orderedexecutor.stats;

import io.orderedexecutor.OrderedOutput;
import java.time.Duration;

/**
 * One {@link OrderedOutput} at one moment.
 *
 * @param output its name
 * @param window how many pieces may be open at once
 * @param open how many pieces are open: accepted, and neither written nor left out
 * @param done how many pieces were written or left out
 * @param oldestAge time since the oldest open piece was accepted, which all others wait for; zero if none is open.
 *     Pieces are timed from the first snapshot of their executor on, or if it has a listener. If the oldest piece was
 *     accepted before that, this is the time since the output became busy, which may be longer
 */
public record OutputSnapshot(String output, int window, long open, long done, Duration oldestAge) {}
