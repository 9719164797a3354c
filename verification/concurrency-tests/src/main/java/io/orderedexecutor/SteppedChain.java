package io.orderedexecutor;

import java.util.concurrent.atomic.AtomicInteger;

/** A chain of two tasks that runs when it is told to. */
final class SteppedChain extends Strand {
    private final AtomicInteger behind;
    private final AtomicInteger ends;

    SteppedChain(TaskFuture<?> first, FailurePolicy policy) {
        this(first, policy, new AtomicInteger(), new AtomicInteger());
    }

    private SteppedChain(TaskFuture<?> first, FailurePolicy policy, AtomicInteger behind, AtomicInteger ends) {
        super(new Steps(policy, ends), new Link(first), READY);
        this.behind = behind;
        this.ends = ends;
        place(new Link(behind::getAndIncrement), Bounds.UNLIMITED);
    }

    /** Runs what can be run; returns how many tasks have run behind the first, and how many have ended. */
    int[] runToTheEnd() {
        while (!hasEnded() && suspension() == null && hold() == null) {
            run();
        }
        return new int[] {behind.get(), ends.get()};
    }

    @Override
    Object key() {
        return this;
    }

    @Override
    boolean isPaused() {
        return false;
    }

    @Override
    public String describe() {
        return "a chain of two";
    }

    @Override
    void onEnd(boolean mayStay) {
        // it is in no table
    }

    /** Hands nothing over: what a thread passes on is run later. */
    private record Steps(FailurePolicy failurePolicy, AtomicInteger ends) implements Host, Workers {

        @Override
        public Workers workers() {
            return this;
        }

        @Override
        public void onTaskEnd(TaskEnd end) {
            ends.getAndIncrement();
        }

        @Override
        public void handOver(Runnable work) {
            // run later
        }

        @Override
        public boolean passOn(Runnable work) {
            return true;
        }

        @Override
        public void runElsewhere(Runnable work) {
            // run later
        }

        @Override
        public boolean isWantedElsewhere() {
            return false;
        }

        @Override
        public Platform platform() {
            return Platform.JDK;
        }

        @Override
        public Turn turn() {
            return Turn.DEFAULT;
        }

        @Override
        public void setTurn(Turn turn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int threads() {
            return UNKNOWN;
        }

        @Override
        public void setThreads(int threads) {
            throw new UnsupportedOperationException();
        }
    }
}
