package io.orderedexecutor;

import io.orderedexecutor.stats.GroupSnapshot;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The engine of a {@link GroupedExecutor}: tasks conflict by their groups, or because they say so. */
final class GroupedEngine extends Engine<Object> {

    /** Stands for the groups of a task that has none; all such tasks share it. */
    private static final class Unordered extends Group.Unnamed {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Unordered;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    private final GroupTable table;
    private final Comparisons comparisons;

    GroupedEngine(Settings settings, Workers workers, Runnable onTerminated) {
        this(settings, workers, new GroupTable("grouped executor '" + settings.name() + "'"), onTerminated);
    }

    private GroupedEngine(Settings settings, Workers workers, GroupTable table, Runnable onTerminated) {
        super("grouped", settings, workers, table, onTerminated);
        this.table = table;
        this.comparisons = new Comparisons(table);
    }

    /** Whether it has to be known how many tasks of a group wait. */
    boolean boundsGroups() {
        return bounds() != null;
    }

    // acceptance

    /** Accepts a task with groups, or throws. */
    void place(Groups groups, Runnable task) {
        accept(groups, groups, 0, task, null);
    }

    /** As {@link #place(Groups, Runnable)}, with an overflow of its own. */
    void place(Groups groups, Runnable task, Overflow overflow) {
        accept(groups, groups, 0, task, overflow);
    }

    /** Accepts a task that has no groups and is compatible with all, or throws. */
    void placeAlone(Runnable task) {
        int hash = ThreadLocalRandom.current().nextInt();
        Claim claim = Claim.only(new Unordered(), 0, hash, Claim.Access.SHARED);
        accept(Strand.NO_KEY, new WithoutGroups(null, claim), 0, task, null);
    }

    /**
     * Accepts a task that says itself what it is compatible with, or throws.
     *
     * @param comparable the application's own object
     * @param task what is run: the same, or its future
     */
    void placeComparable(OrderedTask comparable, Runnable task) {
        accept(Strand.NO_KEY, new WithoutGroups(comparable, Comparisons.claimOf(comparable)), 0, task, null);
    }

    /** What a task is submitted to that has no groups of the application's. */
    private record WithoutGroups(@Nullable OrderedTask comparable, Claim claims) {}

    private static Claim claimsOn(Object target) {
        return target instanceof Groups groups ? groups.claims() : ((WithoutGroups) target).claims;
    }

    @Override
    @Nullable
    KeyQueue place(Object target, int hash, Runnable task, int groupCapacity) {
        return target instanceof Groups groups
                ? enter(groups, null, groups.claims(), task, groupCapacity)
                : enter(null, ((WithoutGroups) target).comparable, claimsOn(target), task, groupCapacity);
    }

    @Override
    Set<Integer> keyHashes(Object target, int hash) {
        Set<Integer> hashes = new HashSet<>();
        for (Claim claim = claimsOn(target); claim != null; claim = claim.next()) {
            if (claim.isForNamedGroup()) {
                hashes.add(claim.hash());
            }
        }
        return hashes;
    }

    @Override
    boolean dropOldest(Object target, int hash) {
        for (Claim claim = claimsOn(target); claim != null; claim = claim.next()) {
            Group group =
                    claim.isForNamedGroup() ? table.segmentFor(claim.rootHash()).existing(claim) : null;
            if (group != null && group.dropOldest()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Links a task behind one that has the same group and no other, or gives it places of its own, and hands it over if
     * nothing is before it.
     *
     * @return a group that is full, so that the task was not accepted; null if it was
     */
    private @Nullable KeyQueue enter(
            @Nullable Groups groups, @Nullable OrderedTask comparable, Claim claims, Runnable task, int groupCapacity) {
        List<GroupedTask> candidates = List.of();
        Link first = newLink(task);
        GroupedTask entered = null;
        while (entered == null) {
            Admission admission = Admission.search(table, claims);
            admission.lock();
            try {
                if (admission.isClosed()) {
                    throw rejectedByShutdown();
                }
                if (admission.isStillSo()) {
                    Group full = boundsGroups() ? admission.findFull(groupCapacity) : null;
                    if (full != null) {
                        return full;
                    }
                    if (admission.join(first, boundsGroups())) {
                        return null;
                    }
                    entered = new GroupedTask(this, groups, comparable, first);
                    Group last = admission.enter(entered, boundsGroups());
                    candidates = comparable == null ? candidates : comparisons.candidates(entered, last);
                }
            } finally {
                admission.unlock();
            }
        }
        comparisons.compare(entered, candidates);
        if (entered.isReadyAfterOneLess()) {
            entered.handOver(first);
        }
        return null;
    }

    /** Accepts no more tasks behind those of a chain that waits, if they all were taken out; false if one came. */
    boolean closeToJoiners(GroupedTask chain) {
        Place place = chain.firstPlace();
        if (place == null) {
            return true;
        }
        GroupSegment segment = place.lane.group.segment;
        segment.lock();
        try {
            place.joinable &= !chain.isTakenOut();
            return !place.joinable;
        } finally {
            segment.unlock();
        }
    }

    @Override
    Set<Integer> keyHashes(Strand takenFrom) {
        Set<Integer> hashes = new HashSet<>();
        for (Place place = ((GroupedTask) takenFrom).firstPlace(); place != null; place = place.nextOfTask) {
            if (place.isForGroup()) {
                hashes.add(place.lane.group.hash());
            }
        }
        return hashes;
    }

    /** Takes a task that has ended out of its places. */
    void leave(GroupedTask task, Succession ready) {
        Place place = task.firstPlace();
        while (place != null) {
            GroupSegment segment = place.lane.group.segment;
            boolean isEmptyForGood;
            segment.lock();
            try {
                for (; place != null && place.lane.group.segment == segment; place = place.nextOfTask) {
                    segment.leave(place, ready);
                }
                if (task.comparable != null) {
                    Comparisons.release(task, ready);
                }
                isEmptyForGood = segment.isEmptyForGood();
            } finally {
                segment.unlock();
            }
            onChainEnd(isEmptyForGood);
        }
    }

    // live control

    void pause(Object group) {
        Claim claim = claimOf(group);
        boolean done = false;
        while (!done) {
            Admission admission = Admission.search(table, claim);
            admission.lock();
            try {
                // what is paused before a shutdown closes the segment goes on then
                done = admission.isClosed() || (admission.isStillSo() && admission.pause());
            } finally {
                admission.unlock();
            }
        }
    }

    /** Lets a group go on; false if nothing was paused or parked. */
    boolean resume(Object group) {
        Claim claim = claimOf(group);
        GroupSegment segment = table.segmentFor(claim.rootHash());
        Group found = segment.existing(claim);
        boolean wasPaused = found != null && segment.unpause(found);
        if (found != null) {
            tasksOf(found).forEach(Strand::unpause);
        }
        return unpark(group, true) || wasPaused;
    }

    /** Lets the parked tasks go on that hold up a group. */
    boolean unpark(Object group, boolean again) {
        Claim claims = Groups.exclusive(group).claims();
        boolean any = unpark(table.segmentFor(claims.rootHash()).root(), false, again);
        for (Claim claim = claims; claim != null; claim = claim.next()) {
            Group found = table.segmentFor(claim.rootHash()).existing(claim);
            any |= found != null && unpark(found, claim.own() != Claim.Access.NONE, again);
        }
        return any;
    }

    /**
     * Lets the parked tasks of a group go on.
     *
     * @param all whether those count that want only something below it
     */
    private static boolean unpark(Group group, boolean all, boolean again) {
        boolean any = false;
        for (GroupedTask task : tasksOf(group)) {
            any |= (all || task.wants(group)) && task.parkedWith() != null && task.unpark(again);
        }
        return any;
    }

    /** The claim on a group, without those on the groups that it is in. */
    private static Claim claimOf(Object group) {
        Claim claim = Groups.exclusive(group).claims();
        while (claim.next() != null) {
            claim = claim.next();
        }
        return claim;
    }

    @Nullable
    Group find(Object group) {
        Claim claim = claimOf(group);
        return table.segmentFor(claim.rootHash()).existing(claim);
    }

    boolean hasTasks(Object group) {
        Group found = find(group);
        return found != null && !tasksOf(found).isEmpty();
    }

    private static Set<GroupedTask> tasksOf(Group group) {
        Set<GroupedTask> tasks = new LinkedHashSet<>();
        group.segment.lock();
        try {
            group.forEachPlace(place -> tasks.add(place.task));
        } finally {
            group.segment.unlock();
        }
        return tasks;
    }

    /** The tasks that were submitted after one that conflicts with them. */
    Set<GroupedTask> conflictingBehind(GroupedTask task) {
        Set<GroupedTask> behind = new LinkedHashSet<>();
        forEachPlaceOf(task, place -> {
            for (Place later = place.next; later != null; later = later.next) {
                if (!later.mayBeBeside(place)) {
                    behind.add(later.task);
                }
            }
            RootLane crowd = place.crowd();
            if (crowd != null) {
                crowd.forEachBehindCrowd(behind::add);
            }
        });
        return behind;
    }

    /** Visits the places of a task, each under the lock of its segment. */
    private static void forEachPlaceOf(GroupedTask task, Consumer<? super Place> visitor) {
        for (Place place = task.firstPlace(); place != null; place = place.nextOfTask) {
            GroupSegment segment = place.lane.group.segment;
            segment.lock();
            try {
                visitor.accept(place);
                if (place.twin != null) {
                    visitor.accept(place.twin);
                }
            } finally {
                segment.unlock();
            }
        }
    }

    // observation

    GroupedExecutorStats stats() {
        long queued = 0;
        long active = 0;
        for (GroupedTask task : table.tasks()) {
            queued += task.queued();
            active += task.isActive() ? 1 : 0;
        }
        return new GroupedExecutorStats(
                table.groups().size(), queued, active, completed(), failed(), cancelled(), rejected());
    }

    GroupSnapshot snapshot(Group group) {
        Set<GroupedTask> tasks = tasksOf(group);
        long queued = tasks.stream().mapToLong(GroupedTask::queued).sum();
        long active = tasks.stream().filter(Strand::isActive).count();
        return new GroupSnapshot(group.key, queued, active, group.isPaused());
    }

    List<GroupSnapshot> deepestGroups(int limit) {
        return table.groups().stream()
                .map(this::snapshot)
                .sorted(Comparator.comparingLong(GroupSnapshot::queued).reversed())
                .limit(limit)
                .toList();
    }

    List<ParkedTask> parkedTasks() {
        return collect(table, GroupedTask::parked);
    }

    List<QueuedTask> queuedTasks(int limit) {
        List<QueuedTask> queued = new ArrayList<>();
        for (GroupedTask task : table.inOrder()) {
            Groups groups = task.groups();
            int waiting = groups == null ? 0 : Math.min(task.queued(), limit - queued.size());
            for (int i = 0; groups != null && i < waiting; i++) {
                boolean isFirst = i == 0 && !task.isActive();
                queued.add(new QueuedTask(groups, isFirst ? task.groupsDirectlyAhead() : List.of(groups)));
            }
        }
        return List.copyOf(queued);
    }

    /** The tasks that have to end before a task can start, and for which no other of them waits. */
    Set<GroupedTask> directlyAhead(GroupedTask task) {
        Set<GroupedTask> ahead = new LinkedHashSet<>(comparisons.ahead(task));
        forEachPlaceOf(task, place -> place.lane.forEachDirectlyAhead(place, ahead::add));
        return ahead;
    }

    /** The threads that run what has to end before a task can start, however far ahead. */
    List<Thread> threadsAhead(GroupedTask waiting) {
        Set<Thread> threads = new LinkedHashSet<>();
        for (GroupedTask task : upTo(waiting)) {
            Thread thread = task.holdingThread();
            if (thread != null) {
                threads.add(thread);
            }
        }
        return List.copyOf(threads);
    }

    /** A task, and all that have to end before it can start, however far ahead. */
    Set<GroupedTask> upTo(GroupedTask waiting) {
        Set<GroupedTask> seen = new LinkedHashSet<>(List.of(waiting));
        Deque<GroupedTask> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            GroupedTask task = open.remove();
            if (task.queued() > 0) {
                List<GroupedTask> ahead =
                        new ArrayList<>(task.comparable == null ? List.of() : comparisons.ahead(task));
                forEachPlaceOf(task, place -> place.lane.forEachAhead(place, ahead::add));
                ahead.removeIf(other -> !seen.add(other));
                open.addAll(ahead);
            }
        }
        return seen;
    }
}
