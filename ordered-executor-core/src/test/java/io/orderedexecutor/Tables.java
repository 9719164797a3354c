package io.orderedexecutor;

import io.orderedexecutor.engine.striped.StripeTable;
import io.orderedexecutor.engine.striped.StripedEngine;

/** What an executor keeps its stripes in. */
final class Tables {
    private Tables() {}

    static StripeTable of(StripedExecutor executor) {
        try {
            var table = StripedEngine.class.getDeclaredField("table");
            table.setAccessible(true);
            return (StripeTable) table.get(executor.engine());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the engine is not what this test knows", e);
        }
    }
}
