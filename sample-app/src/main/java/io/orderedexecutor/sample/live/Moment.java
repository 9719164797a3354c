package io.orderedexecutor.sample.live;

import java.util.List;

/**
 * Something that happened to a step.
 *
 * @param at when, in milliseconds since the epoch
 * @param tracks those that it is shown on
 * @param inOrder whether it started when all earlier steps of its key had ended; true for all but starts
 */
record Moment(long at, What what, Step step, List<String> tracks, boolean inOrder) {

    enum What {
        QUEUED,
        STARTED,
        ENDED,
        FAILED,
        /** It is answered together with the step that runs on its track. */
        JOINED,
        /** It was running when a later step interrupted it. */
        STOPPED,
        /** Its caller gets no result: a later step has replaced or interrupted it, or the executor was busy. */
        CANCELLED,
        /** The result was written to the output. */
        WRITTEN,
        REJECTED
    }
}
