package io.orderedexecutor.engine.strand;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The items that the server has taken to run them together, in their order: their futures, what was submitted for each,
 * and since when each has waited. Behind them, in the same arrays, those that were done before: there may be no memory
 * for more when they are found.
 *
 * <p>Used by the holder of the strand, but for {@link #works()}, which does not change once the batch has started.
 */
final class TakenItems {
    private final @Nullable WorkFuture<?>[] futures;

    /** Not changed once the batch has started: the application sees it. */
    private final @Nullable Object[] works;

    private final long[] queuedAt;
    private int size;
    private int done;

    TakenItems(int capacity) {
        futures = new WorkFuture<?>[capacity];
        works = new @Nullable Object[capacity];
        queuedAt = new long[capacity];
    }

    /** Adds an item whose work the caller has taken; it runs unless it is done. */
    void add(WorkFuture<?> future, Object work, long since) {
        int index = future.isDone() ? futures.length - ++done : size++;
        futures[index] = future;
        works[index] = work;
        queuedAt[index] = since;
    }

    // those that run

    int size() {
        return size;
    }

    /** Null if it was left out. */
    @Nullable
    WorkFuture<?> future(int index) {
        return futures[index];
    }

    Object work(int index) {
        return Objects.requireNonNull(works[index]);
    }

    long queuedAt(int index) {
        return queuedAt[index];
    }

    /** What was submitted. */
    List<@Nullable Object> works() {
        return Collections.unmodifiableList(Arrays.asList(works).subList(0, size));
    }

    boolean areAllDone() {
        for (int i = 0; i < size; i++) {
            WorkFuture<?> item = futures[i];
            if (item != null && !item.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Completes the futures as that of their batch is, which is done; again, if there was no memory for it. */
    @SuppressWarnings("unchecked")
    void endAs(WorkFuture<?> batch) {
        boolean isCancelled = batch.isCancelled();
        Throwable failure = isCancelled || !batch.isCompletedExceptionally() ? null : batch.failure();
        for (int i = 0; i < size; i++) {
            WorkFuture<@Nullable Object> item = (WorkFuture<@Nullable Object>) futures[i];
            if (item == null) {
                continue;
            }
            if (isCancelled) {
                item.cancel(false);
            } else if (failure == null) {
                item.complete(null);
            } else {
                item.completeExceptionally(failure);
            }
        }
    }

    /** Leaves out one that is done, although the batch will run again. */
    void leaveOut(int index) {
        futures[index] = null;
    }

    // those that were done before

    int done() {
        return done;
    }

    /** The index of the first of them; the others follow up to {@link #capacity()}. */
    int firstDone() {
        return futures.length - done;
    }

    int capacity() {
        return futures.length;
    }

    /** Called when their ends are reported. */
    void forgetDone() {
        Arrays.fill(futures, firstDone(), capacity(), null);
        Arrays.fill(works, firstDone(), capacity(), null);
        done = 0;
    }

    @Override
    public String toString() {
        return "a batch of " + size + " items";
    }
}
