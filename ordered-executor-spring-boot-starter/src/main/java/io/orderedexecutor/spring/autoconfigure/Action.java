package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.ExecutorControl;
import org.jspecify.annotations.Nullable;

/** An action on an executor, or on one of its keys. */
enum Action {
    PAUSE,
    RESUME,
    SKIP;

    /**
     * Reads an action on an executor.
     *
     * @throws Refusal if the text is not such an action
     */
    static @Nullable Action ofExecutor(@Nullable String text) {
        return of(text, "pause or resume", PAUSE, RESUME);
    }

    /**
     * Reads an action on a key.
     *
     * @throws Refusal if the text is not such an action
     */
    static @Nullable Action ofKey(@Nullable String text) {
        return of(text, "pause, resume or skip", values());
    }

    private static @Nullable Action of(@Nullable String text, String expected, Action... actions) {
        if (text == null) {
            return null;
        }
        for (Action action : actions) {
            if (action.name().equalsIgnoreCase(text)) {
                return action;
            }
        }
        throw Refusal.badRequest("'action' must be " + expected + ", but is '" + text + "'");
    }

    /**
     * Applies this action to a key that has tasks or is paused.
     *
     * @throws Refusal if it cannot be done
     */
    void applyTo(ManagedExecutor managed, Object key) {
        if (managed instanceof ManagedOrderedOutputExecutor) {
            throw Refusal.conflict("This output cannot be steered by itself; '" + managed.name()
                    + "' can be paused and resumed as a whole");
        }
        ExecutorControl control = managed.executor().control();
        switch (this) {
            case PAUSE -> {
                if (managed.executor().isShutdown()) {
                    throw Refusal.conflict("'" + managed.name() + "' is shut down");
                }
                control.pause(key);
            }
            case RESUME -> {
                if (!control.resume(key)) {
                    throw Refusal.conflict("This key is neither paused nor parked");
                }
            }
            case SKIP -> {
                if (!control.skip(key)) {
                    throw Refusal.conflict("This key is not parked, so there is nothing to skip");
                }
            }
        }
    }
}
