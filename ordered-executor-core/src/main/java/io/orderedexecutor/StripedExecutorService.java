package io.orderedexecutor;

import io.orderedexecutor.engine.striped.StripedEngine;

/** A {@link StripedExecutor} seen as an {@link java.util.concurrent.ExecutorService}; see there. */
final class StripedExecutorService extends ExecutorServiceView {
    private final StripedEngine engine;

    StripedExecutorService(StripedExecutor striped, StripedEngine engine) {
        super(striped, engine.platform());
        this.engine = engine;
    }

    @Override
    void place(Object submitted, Runnable task) {
        Object stripe = submitted instanceof StripedObject object ? object.getStripe() : null;
        if (stripe == null) {
            engine.placeAlone(task);
        } else {
            engine.place(stripe, task);
        }
    }
}
