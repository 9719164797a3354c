package io.orderedexecutor.benchmarks;

/** What is submitted: a new object each time, as in an application, and the same for every subject. */
class Task implements Runnable {
    final Lane lane;

    /** Its place among the tasks of its lane. */
    private final int turn;

    /** Its number among all tasks of the experiment. */
    private final int number;

    Task(Lane lane, int turn, int number) {
        this.lane = lane;
        this.turn = turn;
        this.number = number;
    }

    @Override
    public final void run() {
        Lane ownLane = lane;
        ownLane.enter(turn);
        work();
        ownLane.leave(turn);
        ownLane.ledger.ran(number);
    }

    /** What it does in its turn. */
    void work() {
        lane.work();
    }
}
