package io.orderedexecutor;

import java.util.concurrent.Callable;

/** Tasks that bear their stripe. */
final class Striped {
    private Striped() {}

    static StripedRunnable task(Object stripe, Runnable body) {
        return new StripedRunnable() {
            @Override
            public Object getStripe() {
                return stripe;
            }

            @Override
            public void run() {
                body.run();
            }
        };
    }

    static <V> StripedCallable<V> call(Object stripe, Callable<V> body) {
        return new StripedCallable<>() {
            @Override
            public Object getStripe() {
                return stripe;
            }

            @Override
            public V call() throws Exception {
                return body.call();
            }
        };
    }
}
