package io.orderedexecutor.stats;

import io.orderedexecutor.TicketSequencer;
import java.time.Duration;

/**
 * A {@link TicketSequencer} at one moment.
 *
 * @param tail the position of the first ticket that is not done: how many are, if they are not numbered from outside. A
 *     ticket is done when its output has run, or when it was skipped
 * @param open how many tickets are issued and not done
 * @param ageOfOldest time since the oldest open ticket was issued; zero if none is open
 */
public record SequencerSnapshot(long tail, long open, Duration ageOfOldest) {}
