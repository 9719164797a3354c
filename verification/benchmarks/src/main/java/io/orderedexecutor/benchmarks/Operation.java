package io.orderedexecutor.benchmarks;

/** What is counted of an executor's code. Public, since classes of another loader use it. */
public enum Operation {
    /** A read-modify-write instruction, whatever it finds; a lock that is taken counts as two. */
    ATOMIC(0),
    /** The same, on what the threads of an executor share whatever their keys are. */
    SHARED(1),
    /** Something was put into the queue of the threads. */
    HAND_OVER(2),
    /** A thread that sleeps was called, or one was started. */
    WAKE_UP(3),
    /** A bin was taken. */
    BIN(4),
    /** A bin was wanted that another thread had just then; counted once, however often it is looked at. */
    CONTENDED_BIN(5),
    /** A request was left with the thread that had the bin. */
    LEFT(6),
    /** A thread had to wait for a bin, after many looks. */
    WAIT(7);

    static final int COUNT = 8;

    /** How the code that counts names it. */
    final int number;

    Operation(int number) {
        this.number = number;
    }
}
