package io.orderedexecutor;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Watches over order, exclusion and visibility in one stripe; also stands for the one task of an unordered one. */
final class WatchedStripe {

    /** Equal to that of each other submission, and the same as none. */
    private record Key(int number) {}

    /** Where submissions to a stripe come from in an order that it has to keep. */
    static final class Source {
        private int made;

        /** Plain, as all that the exclusion and the visibility between the tasks of a stripe have to guard. */
        private int latestStarted = -1;

        int next() {
            return made++;
        }
    }

    private final int number;
    private final AtomicReference<WatchedTask> occupant = new AtomicReference<>();
    private final AtomicInteger entries = new AtomicInteger();
    private int plainEntries;
    private WatchedTask latest;
    private final Map<WatchedStripe, Source> sourcesTo = new HashMap<>();

    /** A negative number is for a task that has no stripe. */
    WatchedStripe(int number) {
        this.number = number;
    }

    Object key() {
        return number < 0 ? null : new Key(number);
    }

    /** The source of what the tasks of this stripe submit to another. To be called by the running task only. */
    Source sourceTo(WatchedStripe other) {
        return sourcesTo.computeIfAbsent(other, stripe -> new Source());
    }

    /** Starts an attempt of a task. */
    void enter(WatchedTask task, Source source, int attempt) {
        WatchedTask before = occupant.getAndSet(task);
        if (before != null && !before.isHeldNoLonger()) {
            task.report("overlaps with " + before);
        }
        if (attempt == 1 ? task.number() <= source.latestStarted : latest != task) {
            task.report("starts after " + latest);
        }
        source.latestStarted = task.number();
        latest = task;
        plainEntries++;
        entries.incrementAndGet();
    }

    /** Ends it; has no effect if its future was done before, and another task has entered. */
    void leave(WatchedTask task) {
        occupant.compareAndSet(task, null);
    }

    /** Whether each task has seen what those before it did. */
    boolean lostUpdates() {
        return plainEntries != entries.get();
    }

    @Override
    public String toString() {
        return number < 0 ? "no stripe" : "stripe " + number;
    }
}
