package io.orderedexecutor.engine.pool;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers that sleep, linked to each other: a worker needs no memory to fall idle, and a pool that may have many
 * threads pays for none that it does not have. Guarded by the lock of the {@link WorkerRoster}.
 */
final class IdleWorkers {
    private @Nullable Worker last;

    void addLast(Worker worker) {
        worker.idleBefore = last;
        worker.idleAfter = null;
        if (last != null) {
            last.idleAfter = worker;
        }
        last = worker;
        worker.isListed = true;
    }

    /** Takes the one that fell idle last; null if none is idle. */
    @Nullable
    Worker pollLast() {
        Worker worker = last;
        if (worker != null) {
            remove(worker);
        }
        return worker;
    }

    /** Takes a worker out; false if it is not in. */
    boolean remove(Worker worker) {
        if (!worker.isListed) {
            return false;
        }
        Worker before = worker.idleBefore;
        Worker after = worker.idleAfter;
        if (before != null) {
            before.idleAfter = after;
        }
        if (after != null) {
            after.idleBefore = before;
        } else {
            last = before;
        }
        worker.idleBefore = null;
        worker.idleAfter = null;
        worker.isListed = false;
        return true;
    }

    List<Worker> all() {
        List<Worker> all = new ArrayList<>();
        for (Worker worker = last; worker != null; worker = worker.idleBefore) {
            all.add(worker);
        }
        return all;
    }
}
