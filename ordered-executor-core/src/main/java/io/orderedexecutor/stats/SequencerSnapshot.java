package io.orderedexecutor.stats;

import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.TicketSequencer;
import java.time.Duration;

/**
 * A {@link TicketSequencer} or a {@link NumberedSequencer} at one moment.
 *
 * @param tail the number of the first ticket that is not done: how many are, if the numbers do not come from outside. A
 *     ticket is done when its output has run or it was given back, and all before it are done
 * @param open how many tickets are issued and not done
 * @param ageOfOldest time since the oldest open ticket was issued; zero if none is open
 */
public record SequencerSnapshot(long tail, long open, Duration ageOfOldest) {}
