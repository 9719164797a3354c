package io.orderedexecutor.stats;

import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.TicketSequencer;
import java.time.Duration;

/**
 * A {@link TicketSequencer} or a {@link NumberedSequencer} at one moment.
 *
 * @param tail the first number that is not done, even if no caller has requested it: in a {@link NumberedSequencer} the
 *     missing number that all outputs wait for, if there is one; in a {@link TicketSequencer} how many tickets are
 *     done. A ticket is done when its output has run or it was given back, and all before it are done
 * @param open how many tickets are issued and not done
 * @param oldestAge time since the oldest open ticket was issued; zero if none is open
 */
public record SequencerSnapshot(long tail, long open, Duration oldestAge) {}
