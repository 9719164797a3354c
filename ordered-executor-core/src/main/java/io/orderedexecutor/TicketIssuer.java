package io.orderedexecutor;

/** Who gives tickets to those who wait for one. */
interface TicketIssuer {

    /** Called when there may be room. */
    void call();

    /** What holds up those who wait, for people. */
    String describeHead();

    /** Gives tickets to nobody any more: the sequence is stopped. */
    void stop();
}
