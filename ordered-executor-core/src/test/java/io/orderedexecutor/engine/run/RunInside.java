package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Order;

/** What is not open to tests of engines. */
public final class RunInside {
    private RunInside() {}

    /** The work of the thread that comes to grant what is unfinished in an order. */
    public static Runnable granting(Service service, Order order) {
        return new Dispatcher.Granting(service.dispatcher(), order);
    }

    public static void tellIfBroken(Service service) {
        service.lifecycle().tellIfBroken();
    }
}
