package io.orderedexecutor;

/** What has to wait until a thread that serves a {@link Sequence} has told of all that it has served. */
interface AfterServing {

    /** Called once, with no right to serve. */
    void afterServing();
}
