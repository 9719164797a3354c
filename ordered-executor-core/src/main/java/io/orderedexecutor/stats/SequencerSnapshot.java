package io.orderedexecutor.stats;

import io.orderedexecutor.TicketSequencer;
import java.time.Duration;

/**
 * A {@link TicketSequencer} at one moment.
 *
 * @param tail how many tickets are done: their outputs have run, or they were skipped
 * @param open how many tickets are issued and not done
 * @param ageOfOldest time since the oldest open ticket was issued; zero if none is open
 */
public record SequencerSnapshot(long tail, long open, Duration ageOfOldest) {}
