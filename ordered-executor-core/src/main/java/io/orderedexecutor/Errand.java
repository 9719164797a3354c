package io.orderedexecutor;

/**
 * What a thread is asked to go on with that is no task: nobody counts it, and no pause or shutdown keeps it from
 * running.
 */
final class Errand extends ServedQueue {
    private final Workers workers;

    private Errand(Workers workers, Runnable continuation) {
        super(continuation);
        this.workers = workers;
    }

    /**
     * Lets another thread go on.
     *
     * @return false if no other thread will
     */
    static boolean to(Workers workers, Runnable continuation) {
        return workers.passOn(new Errand(workers, continuation));
    }

    @Override
    Workers workers() {
        return workers;
    }

    @Override
    boolean perform(Link link, Runnable continuation, Thread thread) {
        continuation.run();
        return true;
    }

    @Override
    boolean isPaused() {
        return false;
    }

    @Override
    boolean isKeptOpen() {
        return false;
    }

    @Override
    boolean isStopping() {
        return false;
    }

    @Override
    void onTaken() {
        // it has no permit
    }

    @Override
    void onRejected() {
        // whoever gives it goes on
    }

    @Override
    void onEnd(boolean mayStay) {
        // it is in no table
    }
}
