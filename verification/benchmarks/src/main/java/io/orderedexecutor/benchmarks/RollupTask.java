package io.orderedexecutor.benchmarks;

/** A task that has its place in a second lane, too. */
final class RollupTask extends Task {
    private final Lane other;
    private final int otherTurn;

    RollupTask(Lane lane, int turn, int number, Lane other, int otherTurn) {
        super(lane, turn, number);
        this.other = other;
        this.otherTurn = otherTurn;
    }

    @Override
    void work() {
        other.enter(otherTurn);
        super.work();
        other.leave(otherTurn);
    }
}
