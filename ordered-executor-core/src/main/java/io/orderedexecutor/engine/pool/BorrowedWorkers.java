package io.orderedexecutor.engine.pool;

import java.util.concurrent.Executor;

/** The threads of an executor that the application handed in, and still owns. */
public class BorrowedWorkers implements Workers {

    /** May refuse work, may run it on the calling thread, and may run it twice. */
    private final Executor executor;

    private final Helper helper;
    private final Platform platform;
    private volatile Turn turn;

    public BorrowedWorkers(String name, Executor executor, Turn turn, Platform platform) {
        this.platform = platform;
        this.executor = executor;
        this.helper = new Helper(name, work -> handOver(executor, work), work -> passOn(executor, work), platform);
        this.turn = turn;
    }

    @Override
    public Platform platform() {
        return platform;
    }

    @Override
    public Turn turn() {
        return turn;
    }

    @Override
    public void setTurn(Turn turn) {
        this.turn = turn;
    }

    @Override
    public int threads() {
        return UNKNOWN;
    }

    @Override
    public void setThreads(int threads) {
        throw new IllegalStateException("the threads are those of " + executor
                + ", which was handed in; change their number there, or build the executor with threads of its own");
    }

    @Override
    public void handOver(Runnable work) {
        handOver(executor, work);
    }

    private static void handOver(Executor executor, Runnable work) {
        // in an offer: what the work submits while it runs inline must not pass for the caller's own
        executor.execute(work instanceof Offer ? work : new Passed(work));
    }

    @Override
    public boolean mayRunInline() {
        return true;
    }

    @Override
    public boolean passOn(Runnable work) {
        return passOn(executor, work);
    }

    /**
     * Lets another thread of an executor run work.
     *
     * @return false if the executor has refused the work, or has called it on this thread, where it does not run
     */
    public static boolean passOn(Executor executor, Runnable work) {
        Passed passed = new Passed(work);
        passed.begin();
        boolean refused = false;
        try {
            executor.execute(passed);
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            // accepted work has no submitter here that could get the refusal
            refused = true;
        }
        return !passed.ends() && !refused;
    }

    @Override
    public Helper helper() {
        return helper;
    }

    @Override
    public void close() {
        helper.close();
    }

    @Override
    public boolean isWantedElsewhere() {
        // assume so: the queue of that executor is unknown
        return turn != Turn.UNTIL_EMPTY;
    }

    /** Work for the executor. Passed-on work does not run inline: turns would nest until the stack overflows. */
    private static final class Passed extends Offer {
        Passed(Runnable work) {
            super(work);
        }

        @Override
        protected void runInline() {}
    }
}
