package io.orderedexecutor.engine.strand;

/** Counts the tasks of an executor that wait, if there is a limit. Called by any thread, with no lock held. */
public interface QueuedCount {

    /** A task no longer waits: it was taken out of its strand, whatever for. */
    void onTaken(Strand from);

    /** A task waits again that was taken, whether there is room or not. */
    void onPutBack();
}
