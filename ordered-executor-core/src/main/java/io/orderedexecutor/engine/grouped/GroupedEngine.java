package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.KeyHashes;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.LiveStrands;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.Followers;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.OpenPlaces.Reserved;
import io.orderedexecutor.engine.strand.Reasons;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.strand.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.GroupSnapshot;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The engine of a {@link GroupedExecutor}: tasks conflict by their groups, or because they say so. */
public final class GroupedEngine extends Engine<Object> implements GroupedTask.Owner, ReadyList.Release, Followers {

    /** Stands for the groups of a task that has none; all such tasks of one hash share it. */
    private static final class Unordered extends Group.Unnamed {
        Unordered(int hash) {
            super(hash);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Unordered;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    /** Each group that a task wants itself is a key. */
    private static final class Hashes implements KeyHashes<Object> {
        @Override
        public Set<Integer> of(Object target, int hash) {
            return target instanceof Groups groups ? Intent.namedHashes(groups) : Set.of();
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand task) {
            Set<Integer> hashes = new HashSet<>();
            LockQueue.Request request = ((GroupedTask) task).firstRequest();
            for (; request != null; request = request.nextOfTask) {
                if (request.isForGroup) {
                    hashes.add(request.queue.group.hash());
                }
            }
            return hashes;
        }
    }

    private final GroupTable table;
    private final Comparisons comparisons;
    private final Admission admission;

    public GroupedEngine(Settings settings, Workers workers, Runnable onTerminated) {
        this(settings, workers, new GroupTable("grouped executor '" + settings.name() + "'"), onTerminated);
    }

    private GroupedEngine(Settings settings, Workers workers, GroupTable table, Runnable onTerminated) {
        this(settings, workers, table, new Comparisons(table), onTerminated);
    }

    GroupedEngine(
            Settings settings, Workers workers, GroupTable table, Comparisons comparisons, Runnable onTerminated) {
        super("grouped", settings, workers, new LiveStrands(table), new Hashes(), onTerminated);
        this.table = table;
        this.comparisons = comparisons;
        this.admission = new Admission(this, table, comparisons);
    }

    // acceptance

    /** Accepts a task with groups, or throws. */
    public void place(Groups groups, Runnable task) {
        accept(groups, groups, 0, task, null);
    }

    /** As {@link #place(Groups, Runnable)}, with an overflow of its own. */
    public void place(Groups groups, Runnable task, Overflow overflow) {
        accept(groups, groups, 0, task, overflow);
    }

    /** Accepts a task with groups that comes later, or throws; null for the overflow of this executor. */
    public Reservation reserve(Groups groups, @Nullable Overflow overflow) {
        return reserve(groups, groups, 0, overflow);
    }

    /** Accepts a task that has no groups and is compatible with all, or throws. */
    public void placeAlone(Runnable task) {
        Unordered group = new Unordered(platform().random());
        accept(TaskEvents.NO_KEY, new WithoutGroups(null, group), 0, task, null);
    }

    /**
     * Accepts a task that says itself what it is compatible with, or throws.
     *
     * @param comparable the application's own object
     * @param task what is run: the same, or its future
     */
    public void placeComparable(OrderedTask comparable, Runnable task) {
        accept(TaskEvents.NO_KEY, new WithoutGroups(comparable, Comparisons.groupOf(comparable)), 0, task, null);
    }

    /**
     * Accepts a task that may say itself what it is compatible with, or throws.
     *
     * @param submitted the application's own object
     * @param task what is run: the same, or its future
     */
    public void placeObject(Object submitted, Runnable task) {
        if (submitted instanceof OrderedTask ordered) {
            placeComparable(ordered, task);
        } else {
            placeAlone(task);
        }
    }

    /** What a task is submitted to that has no groups of the application's, but one that the executor itself keeps. */
    private record WithoutGroups(@Nullable OrderedTask comparable, Group.Unnamed group) {}

    @Override
    public @Nullable LimitedKey place(Object target, int hash, Runnable task, int groupCapacity) {
        if (target instanceof Groups groups) {
            return admission.admit(groups, newLink(task), groupCapacity);
        }
        WithoutGroups without = (WithoutGroups) target;
        return admission.admit(null, without.comparable, Intent.of(without.group), newLink(task), groupCapacity);
    }

    @Override
    public boolean dropOldest(Object target, int hash) {
        Intent intents = target instanceof Groups groups ? Intent.of(groups) : null;
        if (intents != null) {
            table.find(intents);
        }
        for (Intent intent = intents; intent != null; intent = intent.next) {
            Group group = intent.own == Access.NONE ? null : intent.group();
            if (group != null && group.isNamed() && GroupSegment.dropOldest(group)) {
                return true;
            }
        }
        return false;
    }

    // the end of a task

    @Override
    public void leave(GroupedTask ended, boolean mayStay) {
        ReadyList.leave(ended, this, mayStay);
    }

    /** If it throws, it may be called again, and goes on with what is left. */
    @Override
    public void release(GroupedTask ended, ReadyList ready) {
        LockQueue.Request request = ended.firstRequest();
        while (request != null) {
            int hash = request.queue.group.hash();
            GroupSegment segment = table.segmentFor(hash);
            boolean isEmptyForGood;
            segment.lock();
            try {
                while (request != null && table.segmentOf(request.queue.group) == segment) {
                    segment.leave(request, ready);
                    request = request.nextOfTask;
                }
                Comparisons.release(ended, ready);
                isEmptyForGood = segment.isEmptyForGood();
            } finally {
                segment.unlock();
            }
            onStrandEnd(hash, isEmptyForGood);
        }
    }

    // live control

    public void pause(Object group) {
        Intent intents = Intent.of(group);
        boolean done = false;
        while (!done) {
            table.search(intents);
            table.lock(intents);
            try {
                boolean isStillSo = table.isStillSo(intents);
                // what is paused before a shutdown closes the segment goes on then
                done = isStillSo || table.isClosed(intents);
                if (isStillSo && !table.isClosed(intents)) {
                    table.pause(intents);
                }
            } finally {
                table.unlock(intents);
            }
        }
    }

    /** Lets a group go on; false if nothing was paused or parked. */
    public boolean resume(Object group) {
        Group found = find(group);
        boolean wasPaused = found != null && table.segmentOf(found).unpause(found);
        if (found != null) {
            found.tasks().forEach(StrandControl::unpause);
            for (Group outer = found.parent; outer != null; outer = outer.parent) {
                outer.tasksThatWantIt().forEach(StrandControl::unpause);
            }
        }
        return unpark(group, true) || wasPaused;
    }

    /** Lets the parked tasks go on that hold up a group. */
    public boolean unpark(Object group, boolean again) {
        boolean any = false;
        Intent intents = Intent.of(group);
        for (GroupedTask task : table.segmentFor(intents.hash).root().tasksThatWantIt()) {
            any |= unpark(task, again);
        }
        table.find(intents);
        for (Intent intent = intents; intent != null; intent = intent.next) {
            Group found = intent.group();
            if (found != null) {
                for (GroupedTask task : intent.next == null ? found.tasks() : found.tasksThatWantIt()) {
                    any |= unpark(task, again);
                }
            }
        }
        return any;
    }

    private static boolean unpark(GroupedTask task, boolean again) {
        return StrandControl.unpark(task, again);
    }

    public @Nullable Group find(Object group) {
        return table.find(Intent.of(group));
    }

    public boolean hasTasks(Object group) {
        Group found = find(group);
        return found != null && !found.tasks().isEmpty();
    }

    // observation

    public GroupedExecutorStats stats() {
        long queued = 0;
        long active = 0;
        for (GroupedTask task : table.strands()) {
            queued += task.queued();
            active += task.isActive() ? 1 : 0;
        }
        return new GroupedExecutorStats(
                table.groups().size(), queued, active, completed(), failed(), cancelled(), rejected());
    }

    public GroupSnapshot snapshot(Group group) {
        return snapshot(group, reservedByQueue());
    }

    private static GroupSnapshot snapshot(Group group, Map<LinkQueue, Reserved> reservedByTask) {
        Set<GroupedTask> tasks = group.tasks();
        long queued = tasks.stream().mapToLong(GroupedTask::queued).sum();
        Reserved reserved = tasks.stream()
                .map(task -> reservedByTask.getOrDefault(task, Reserved.NONE))
                .reduce(Reserved.NONE, Reserved::plus);
        long active = tasks.stream().filter(Strand::isActive).count();
        return new GroupSnapshot(group.key(), queued, reserved.count(), reserved.age(), active, group.isPaused());
    }

    public List<GroupSnapshot> deepestGroups(int limit) {
        Map<LinkQueue, Reserved> reserved = reservedByQueue();
        return table.groups().stream()
                .map(group -> snapshot(group, reserved))
                .sorted(Comparator.comparingLong(GroupSnapshot::queued).reversed())
                .limit(limit)
                .toList();
    }

    public List<ParkedTask> parkedTasks() {
        return table.collect(GroupedTask::parked);
    }

    public List<QueuedTask> queuedTasks(int limit) {
        TasksAhead look = new TasksAhead(table, comparisons);
        List<QueuedTask> queued = new ArrayList<>();
        for (GroupedTask task : table.inOrder()) {
            Groups groups = task.groups();
            int waiting = groups == null ? 0 : Math.min(task.queued(), limit - queued.size());
            for (int i = 0; groups != null && i < waiting; i++) {
                boolean isFirst = i == 0 && !task.isActive();
                queued.add(new QueuedTask(groups, isFirst ? look.directlyAhead(task) : List.of(groups)));
            }
        }
        return List.copyOf(queued);
    }

    @Override
    public String keyType() {
        return "groups";
    }

    @Override
    public Explanation explain(Object group, boolean stacks) {
        Group found = find(group);
        Place place = new Place(name(), "group", group);
        if (found == null) {
            return Reasons.idle(place);
        }
        GroupedTask waiting = found.oldestWaiting();
        if (waiting != null) {
            return Reasons.of(waiting, stacks);
        }
        return found.tasks().stream()
                .filter(task -> task.isActive() || task.queued() > 0)
                .findFirst()
                .map(task -> Reasons.of(task, stacks))
                .orElseGet(() -> found.isPaused() ? Reasons.only(new Explanation.Paused(place)) : Reasons.idle(place));
    }

    @Override
    public @Nullable Strand directlyAhead(Strand waiting) {
        return new TasksAhead(table, comparisons).oneAhead((GroupedTask) waiting);
    }

    @Override
    public Set<GroupedTask> upTo(GroupedTask waiting) {
        return new TasksAhead(table, comparisons).upTo(waiting);
    }
}
