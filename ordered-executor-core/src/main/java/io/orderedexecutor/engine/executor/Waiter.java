package io.orderedexecutor.engine.executor;

import java.util.Set;
import java.util.concurrent.locks.Condition;

/** A submitter in a {@link WaitingRoom}. All that changes is guarded by the lock of the room. */
final class Waiter {
    /** The thread that waits. */
    final Thread thread = Thread.currentThread();

    /** A condition of the lock of the room: signalled when this one may try. */
    final Condition turn;

    /** The hashes of the keys that it wants. */
    final Set<Integer> wanted;

    /** The order in which waiters came; 0 before it has entered. */
    long number;

    /** The hashes of the keys in which there may be no room for it: all, until it has tried. */
    Set<Integer> full;

    /** Whether there may be room that was not there when it tried last. */
    boolean called;

    /** Whether it is making an attempt whose outcome is not known yet. */
    boolean trying;

    /** Whether the executor as a whole had no room for it. */
    boolean needsPermit;

    Waiter(Set<Integer> wanted, Condition turn) {
        this.wanted = wanted;
        this.full = wanted;
        this.turn = turn;
    }

    /** Whether it has found no room, and nothing has happened since. */
    boolean knowsThatItIsFull() {
        return !called && !trying;
    }
}
