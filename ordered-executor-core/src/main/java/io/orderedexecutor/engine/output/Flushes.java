package io.orderedexecutor.engine.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who waits until all pieces before a position are over. The lock is held for a look at the map, and never while a
 * future is completed. A server that nobody waits for reads one field.
 */
final class Flushes {
    private static final long NONE = Long.MAX_VALUE;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final NavigableMap<Long, CompletableFuture<@Nullable Void>> waiting = new TreeMap<>();

    /** The least position that somebody waits for. Written under {@link #lock}, read by the server after each piece. */
    private volatile long first = NONE;

    /** A future that is done when {@link #tell} is called for this position or a later one. */
    CompletableFuture<@Nullable Void> at(long position) {
        lock.lock();
        try {
            CompletableFuture<@Nullable Void> future =
                    waiting.computeIfAbsent(position, unknown -> new CompletableFuture<>());
            first = waiting.firstKey();
            return future;
        } finally {
            lock.unlock();
        }
    }

    /** Whether somebody waits for this position or one before it. */
    boolean isAwaited(long position) {
        return first <= position;
    }

    /** All pieces before this position are over. */
    void tell(long position) {
        for (CompletableFuture<@Nullable Void> over = poll(position); over != null; over = poll(position)) {
            over.complete(null);
        }
    }

    private @Nullable CompletableFuture<@Nullable Void> poll(long position) {
        lock.lock();
        try {
            Map.Entry<Long, CompletableFuture<@Nullable Void>> next = waiting.firstEntry();
            if (next == null || next.getKey() > position) {
                return null;
            }
            waiting.remove(next.getKey());
            first = waiting.isEmpty() ? NONE : waiting.firstKey();
            return next.getValue();
        } finally {
            lock.unlock();
        }
    }
}
