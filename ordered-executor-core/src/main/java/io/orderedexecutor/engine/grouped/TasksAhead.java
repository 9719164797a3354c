package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.strand.Strand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One look at which grouped tasks wait for which others. It passes each request once, whatever the number of tasks that
 * wait for it, and takes a segment's lock for a limited number of steps at a time; so tasks may come and go meanwhile.
 *
 * <p>Used by one thread.
 */
final class TasksAhead {
    /** How many requests are passed before the lock is given back. */
    private static final int STEPS = 256;

    private final GroupTable table;
    private final Comparisons comparisons;

    /** The requests whose tasks were found, and so were those of all requests before them; and queues that count. */
    private final Set<Object> passed = new HashSet<>();

    /** The requests from which, or across which as they are compatible, the way has led to conflicting ones before. */
    private final Set<LockQueue.Request> crossed = new HashSet<>();

    private final Set<GroupedTask> found = new LinkedHashSet<>();
    private final Deque<GroupedTask> open = new ArrayDeque<>();

    private @Nullable Map<GroupedTask, List<GroupedTask>> compared;

    /** For requests that wait, the last one ahead of each that conflicts with it. */
    private final Map<LockQueue.Request, LockQueue.Request> lastAhead = new HashMap<>();

    TasksAhead(GroupTable table, Comparisons comparisons) {
        this.table = table;
        this.comparisons = comparisons;
    }

    // however far ahead

    /** A task, and all that have to end before it can start. */
    Set<GroupedTask> upTo(GroupedTask waiting) {
        find(waiting);
        while (!open.isEmpty()) {
            GroupedTask task = open.remove();
            if (task.queued() > 0) {
                goAlongQueues(task);
                if (task.compared != null) {
                    comparedAheadOf(task).forEach(this::find);
                }
            }
        }
        return found;
    }

    private void find(GroupedTask task) {
        if (found.add(task)) {
            open.add(task);
        }
    }

    private List<GroupedTask> comparedAheadOf(GroupedTask task) {
        if (compared == null) {
            compared = comparisons.ahead();
        }
        return compared.getOrDefault(task, List.of());
    }

    private void goAlongQueues(GroupedTask task) {
        for (LockQueue.Request request = task.firstRequest(); request != null; request = request.nextOfTask) {
            new Way(request).goToTheFront();
            LockQueue.Request mirror = mirrorOf(request);
            if (mirror != null) {
                new Way(mirror).goToTheFront();
            }
        }
    }

    private static LockQueue.@Nullable Request mirrorOf(LockQueue.Request request) {
        Group group = request.queue.group;
        group.lock.lock();
        try {
            return request.mirror;
        } finally {
            group.lock.unlock();
        }
    }

    /** The way from a request along its queue to all that have to leave before it. */
    private final class Way {
        private final LockQueue.Request start;
        private LockQueue.Request last;

        /** Whether something that conflicts was passed; then all that is before it is ahead, too. */
        private boolean isBeyondCompatible;

        Way(LockQueue.Request start) {
            this.start = start;
            this.last = start;
        }

        void goToTheFront() {
            Group group = start.queue.group;
            boolean goesOn = crossed.add(start);
            while (goesOn) {
                group.lock.lock();
                try {
                    goesOn = goSomeSteps();
                } finally {
                    group.lock.unlock();
                }
            }
        }

        /** Under the lock; false if there is nothing left to pass. */
        private boolean goSomeSteps() {
            boolean isLost = last.isOut() || start.isGranted || start.isOut();
            if (isLost && last != start) {
                // what is before the requests that were passed is not known: no other way may end there
                passed.clear();
                crossed.clear();
                last = start;
                isBeyondCompatible = false;
            }
            if (start.isGranted || start.isOut()) {
                return false;
            }
            for (int steps = 0; steps < STEPS; steps++) {
                LockQueue.Request ahead = last.before;
                if (ahead == null) {
                    findCounted();
                    return false;
                }
                if (!pass(ahead)) {
                    return false;
                }
                last = ahead;
            }
            return true;
        }

        /** False if what is before a request is known, too. */
        private boolean pass(LockQueue.Request ahead) {
            isBeyondCompatible |= !start.isCompatibleWith(ahead);
            if (!isBeyondCompatible) {
                return crossed.add(ahead);
            }
            find(ahead.task);
            return passed.add(ahead);
        }

        private void findCounted() {
            LockQueue queue = start.queue;
            if (queue.counts() && passed.add(queue)) {
                table.segmentOf(queue.group).forEachCounted(queue, TasksAhead.this::find);
            }
        }
    }

    // directly ahead

    /**
     * One of the tasks that have to end before a task can start: one that waits for no other itself, if there is one.
     */
    @Nullable
    GroupedTask oneAhead(GroupedTask waiting) {
        Set<GroupedTask> ahead = new LinkedHashSet<>();
        waiting.forEachRequest(request -> {
            if (!request.isGranted) {
                addDirectlyAhead(request, ahead);
            }
        });
        if (waiting.compared != null) {
            ahead.addAll(comparedAheadOf(waiting));
        }
        GroupedTask any = null;
        for (GroupedTask task : ahead) {
            if (!task.isHeldBy(Strand.WAITING)) {
                return task;
            }
            any = any == null ? task : any;
        }
        return any;
    }

    /** The groups of the tasks that have to end before a task can start, and for which no other of them waits. */
    List<Groups> directlyAhead(GroupedTask waiting) {
        Set<GroupedTask> ahead = new LinkedHashSet<>();
        waiting.forEachRequest(request -> {
            if (!request.isGranted) {
                addDirectlyAhead(request, ahead);
            }
        });
        List<Groups> groups = new ArrayList<>();
        for (GroupedTask task : ahead) {
            if (task.groups() != null) {
                groups.add(task.groups());
            }
        }
        return List.copyOf(groups);
    }

    private void addDirectlyAhead(LockQueue.Request waiting, Set<GroupedTask> tasks) {
        LockQueue.Request behind = null;
        LockQueue.Request ahead = lastAhead(waiting);
        while (ahead != null && (behind == null || ahead.isCompatibleWith(behind))) {
            tasks.add(ahead.task);
            behind = ahead;
            ahead = ahead.before;
        }
        LockQueue queue = waiting.queue;
        if (queue.isBehindCounted(behind)) {
            table.segmentOf(queue.group).forEachCounted(queue, tasks::add);
        }
    }

    /**
     * Tasks are asked for in the order of submission, so that one that shares a group finds what the one before found.
     */
    private LockQueue.@Nullable Request lastAhead(LockQueue.Request waiting) {
        LockQueue.Request ahead = waiting.before;
        LockQueue.Request known = null;
        while (ahead != null && known == null && waiting.isCompatibleWith(ahead)) {
            known = lastAhead.get(ahead);
            ahead = ahead.before;
        }
        LockQueue.Request last = known == null ? ahead : known;
        if (last != null) {
            lastAhead.put(waiting, last);
        }
        return last;
    }
}
