package io.orderedexecutor.engine.task;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for room at this moment, in any executor, and with what: for those who want to know what such a
 * thread waits for. Entered and left by the thread itself, and only when it has found no room.
 *
 * <p>Thread-safe.
 */
public final class WaitForRoom {
    private static final Map<ThreadKey, HeldUp> CURRENT = new ConcurrentHashMap<>();

    private WaitForRoom() {}

    /**
     * The calling thread is about to wait.
     *
     * @return what it has waited with before, to be given to {@link #end}: a wait may make it help out with other work
     */
    public static @Nullable HeldUp begin(HeldUp submission) {
        return CURRENT.put(ThreadKey.current(), submission);
    }

    /** The calling thread waits no longer. */
    public static void end(@Nullable HeldUp before) {
        if (before == null) {
            CURRENT.remove(ThreadKey.current());
        } else {
            CURRENT.put(ThreadKey.current(), before);
        }
    }

    static @Nullable HeldUp of(Thread thread) {
        return CURRENT.get(new ThreadKey(thread));
    }
}
