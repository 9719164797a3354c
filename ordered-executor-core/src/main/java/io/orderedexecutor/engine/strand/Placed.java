package io.orderedexecutor.engine.strand;

/** What has become of a link that should be placed. */
public enum Placed {
    /** It is linked at the end. */
    LINKED,
    /** The last link has taken its task over. */
    JOINED,
    /** As many tasks wait as may. */
    FULL,
    /** A task waits or is active, and this one is placed only if there is none. */
    BUSY,
    /** The queue has ended. */
    ENDED
}
