package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.function.Consumer;

/** Asks the garbage collector what is still referenced. */
final class Reachability {
    private static volatile Object sink;

    private Reachability() {}

    /** Submits a task that refers to a new object, and returns the only other reference to it, a weak one. */
    static WeakReference<Object> submitHolding(Consumer<Runnable> submission) {
        Object payload = new Object();
        submission.accept(() -> {
            sink = payload;
            sink = null;
        });
        return new WeakReference<>(payload);
    }

    /** A new object that a task can refer to and that can be watched. */
    static final class Payload {
        private final byte[] bytes = new byte[1024];

        int size() {
            return bytes.length;
        }
    }

    /** Collects garbage until all referents are gone; a few rounds, since one need not find everything. */
    static void assertCleared(Collection<? extends WeakReference<?>> references) {
        for (int round = 0; round < 20 && reachable(references) > 0; round++) {
            System.gc();
        }
        assertThat(reachable(references))
                .as("objects of %d that are still reachable", references.size())
                .isZero();
    }

    private static long reachable(Collection<? extends WeakReference<?>> references) {
        return references.stream().filter(reference -> reference.get() != null).count();
    }
}
