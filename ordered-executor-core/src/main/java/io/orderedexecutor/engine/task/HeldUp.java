package io.orderedexecutor.engine.task;

import io.orderedexecutor.stats.Explanation.Place;

/** What may wait for something, and knows what that is: a step of the way that {@link Reasons} goes. */
public interface HeldUp {

    /** Where it is. */
    Place where();

    /** What holds it up at this moment. Takes no lock that is held while code of the application runs. */
    Reason heldUpBy();
}
