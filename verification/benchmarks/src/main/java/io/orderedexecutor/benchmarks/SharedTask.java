package io.orderedexecutor.benchmarks;

/**
 * A task that shares its key: it runs after the tasks that were there before and have the key exclusively, beside
 * others that share it. It has no turn of its own, and changes nothing in the lane; one that has the key exclusively,
 * and runs too early, is seen by it.
 */
final class SharedTask implements Runnable {
    private final Lane lane;

    /** How many tasks of the lane with a turn of their own were submitted before it. */
    private final int turn;

    private final int number;

    SharedTask(Lane lane, int turn, int number) {
        this.lane = lane;
        this.turn = turn;
        this.number = number;
    }

    @Override
    public void run() {
        lane.share(turn);
        lane.work();
        lane.share(turn);
        lane.ledger.ran(number);
    }
}
