package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SameKind;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R10: names that cannot be had do not change what a self-wait is answered with, and nothing of it stays. */
class SelfWaitNamesTest {

    /** A task whose name is an error. */
    private static final class Nameless implements Callable<String> {
        private final byte[] payload = new byte[1024];

        @Override
        public String call() {
            return "ran " + payload.length;
        }

        @Override
        public String toString() {
            throw new StackOverflowError("on purpose");
        }
    }

    @Test
    @DisplayName("a toString that throws an Error hides no SelfWaitException, and the wait is forgotten")
    void toStringThrowsAnError() {
        StripedExecutor executor = SameKind.exactly(1).build();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<WeakReference<?>> behind = new AtomicReference<>();
        Patience.get(executor.submit("a", () -> {
            CompletableFuture<String> future = executor.submit("a", new Nameless());
            behind.set(new WeakReference<>(future));
            try {
                future.join();
            } catch (Throwable selfWait) {
                thrown.set(selfWait);
            }
            return null;
        }));
        assertThat(thrown.get()).isInstanceOf(SelfWaitException.class).hasMessageContaining(Nameless.class.getName());
        thrown.set(null);
        Patience.letWorkersFinish(executor, 1);
        Reachability.assertCleared(List.of(behind.get()));
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isGreaterThanOrEqualTo(2);
    }
}
