package io.orderedexecutor.engine.grouped;

/** How a task wants a group, or what is within it. */
enum Access {
    NONE,
    SHARED,
    EXCLUSIVE;

    /** What covers both. */
    Access and(Access other) {
        return compareTo(other) < 0 ? other : this;
    }
}
