package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The changes of an executor that a request asks for; null leaves a setting unchanged. All changes are checked before
 * the first one is made.
 *
 * @param action whether to pause or resume
 * @param threads how many threads of its own the executor is to have at most
 * @param capacity how many tasks may be queued in all
 * @param keyCapacity how many tasks may be queued in each key
 */
record ExecutorChange(
        @Nullable Action action,
        @Nullable Integer threads,
        @Nullable Integer capacity,
        @Nullable Integer keyCapacity) {
    private static final int MAX_CAPACITY = 1_000_000_000;

    /**
     * Makes the change.
     *
     * @throws Refusal if any change cannot be made; then none is made
     */
    void applyTo(ManagedExecutor managed) {
        if (Stream.of(action, threads, capacity, keyCapacity).allMatch(Objects::isNull)) {
            throw Refusal.badRequest(
                    "Nothing is to be changed; give at least one of 'action' (pause or resume), 'threads',"
                            + " 'capacity' and 'keyCapacity'");
        }
        checkRange("threads", threads, Integer.MAX_VALUE);
        checkRange("capacity", capacity, MAX_CAPACITY);
        checkRange("keyCapacity", keyCapacity, MAX_CAPACITY);
        if (managed.executor().isShutdown()) {
            throw Refusal.conflict("'" + managed.name() + "' is shut down");
        }
        checkPossible(managed, managed.settings());
        apply(managed);
    }

    private static void checkRange(String parameter, @Nullable Integer value, int max) {
        if (value != null && (value < 1 || value > max)) {
            throw Refusal.badRequest("'" + parameter + "' must be between 1 and " + max + ", but is " + value);
        }
    }

    private void checkPossible(ManagedExecutor managed, OrderedExecutorSettings settings) {
        if (threads != null && settings.threads() == null) {
            throw Refusal.conflict("'threads' cannot be changed: '" + managed.name()
                    + "' runs on the threads of another executor; change their number there");
        }
        if (capacity != null && settings.capacity() == null) {
            throw Refusal.conflict("'capacity' cannot be changed: '" + managed.name()
                    + "' was built without one, so its tasks are not counted");
        }
        if (keyCapacity != null && managed instanceof ManagedOrderedOutputExecutor) {
            throw Refusal.conflict("'keyCapacity' cannot be changed: each output of '" + managed.name()
                    + "' has the window with which it was opened");
        }
        if (keyCapacity != null && settings.keyCapacity() == null) {
            throw Refusal.conflict("'keyCapacity' cannot be changed: '" + managed.name()
                    + "' was built without one, so the tasks of a key are not counted");
        }
    }

    private void apply(ManagedExecutor managed) {
        if (threads != null) {
            managed.executor().control().setThreads(threads);
        }
        if (capacity != null) {
            managed.executor().control().setCapacity(capacity);
        }
        if (keyCapacity != null) {
            managed.executor().control().setKeyCapacity(keyCapacity);
        }
        // last, so that resumed tasks run with the new settings
        if (action == Action.PAUSE) {
            managed.executor().control().pause();
        } else if (action == Action.RESUME) {
            managed.executor().control().resume();
        }
    }
}
