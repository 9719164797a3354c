package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.GroupPath;
import io.orderedexecutor.engine.executor.Bins;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A group that has tasks, or is paused, or has such a group within it: an entry of its segment's table, and no longer.
 * So a group that is in the table has the group around it in the table, too.
 *
 * <p>Most requests meet in one queue, for the group as a {@code whole}. Those that only read something below the group
 * conflict only with those that want all of it for themselves; these two kinds meet in a second queue, so that readers
 * and writers of different groups below do not hold each other up. That queue is made when the first such reader comes:
 * a group with nothing below it never has one.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the lock only
public final class Group implements Bins.Entry<Group> {
    private static final VarHandle NEXT_IN_BIN;
    private static final VarHandle QUEUED;
    private static final VarHandle PAUSES;

    static {
        try {
            var lookup = MethodHandles.lookup();
            NEXT_IN_BIN = lookup.findVarHandle(Group.class, "nextInBin", Group.class);
            QUEUED = lookup.findVarHandle(Group.class, "queued", int.class);
            PAUSES = lookup.findVarHandle(Group.class, "pauses", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Stands for all groups together: the element of a root. */
    private static final Object ROOT = new Object() {
        @Override
        public String toString() {
            return "all groups";
        }
    };

    private static final int REMOVED = Integer.MIN_VALUE;

    /** The lock of the segment. Held for a few pointer writes for each group of a task, never during foreign code. */
    public final ReentrantLock lock;

    /** The group that this one is directly within; null for a root. */
    final @Nullable Group parent;

    /** What tells this group from the others within {@link #parent}. */
    final Object element;

    private final int hash;

    /** Its content is guarded by {@link #lock}, which the caller holds: the checker cannot follow it there. */
    private final LockQueue whole;

    /** Guarded by {@link #lock}, and so is its content. */
    private @Nullable LockQueue readersBelow;

    /**
     * {@link #REMOVED} from the table; or twice the number of groups within this one that are paused, and one more if
     * this one is. Written under the lock, read by servers before each task.
     */
    private volatile int pauses;

    /** How many tasks that want this group itself wait, if that is bounded. Changed by atomic addition. */
    private volatile int queued;

    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Group nextInBin;

    Group(Group parent, Object element, int hash) {
        this(parent.lock, parent, element, hash, null);
    }

    private Group(
            ReentrantLock lock, @Nullable Group parent, Object element, int hash, LockQueue.@Nullable Kind counted) {
        this.lock = lock;
        this.parent = parent;
        this.element = element;
        this.hash = hash;
        this.whole = new LockQueue(this, counted);
    }

    /**
     * The part of the group around all groups that is in one segment.
     *
     * @param hash a hash of that segment
     */
    static Group root(ReentrantLock lock, int hash) {
        return new Group(lock, null, ROOT, hash, LockQueue.Kind.CHANGING_BELOW);
    }

    @Override
    public int hash() {
        return hash;
    }

    @Override
    public @Nullable Group nextInBinAcquire() {
        return (Group) NEXT_IN_BIN.getAcquire(this);
    }

    @Override
    public void setNextInBinRelease(@Nullable Group next) {
        NEXT_IN_BIN.setRelease(this, next);
    }

    private boolean isRoot() {
        return parent == null;
    }

    /** Whether this is a group that the application has named. */
    boolean isNamed() {
        return !isRoot() && !(element instanceof Unnamed);
    }

    /** What the application calls this group. */
    Object key() {
        Group outer = parent;
        if (outer == null || outer.isRoot()) {
            return element;
        }
        Deque<Object> elements = new ArrayDeque<>();
        for (Group group = this; group != null && !group.isRoot(); group = group.parent) {
            elements.addFirst(group.element);
        }
        return GroupPath.of(elements.removeFirst(), elements.toArray());
    }

    /**
     * The element of a group that the executor itself keeps, to find tasks by. No interface: each search asks whether
     * an element is one, and a class is faster to ask for.
     */
    abstract static class Unnamed {
        /** Says where the group is kept. */
        final int hash;

        Unnamed(int hash) {
            this.hash = hash;
        }
    }

    // requests, under the lock

    /**
     * Makes the requests of a task, and notes them there; all of them, or none if it throws.
     *
     * @param own how the task wants this group itself
     * @param below how it wants something below this group
     */
    void enter(GroupedTask task, Access own, Access below) {
        LockQueue.Kind kind = kindInWhole(own, below);
        LockQueue.Kind amongReaders = kindAmongReadersBelow(own, below);
        LockQueue readers = amongReaders == LockQueue.Kind.READING ? readersBelow() : readersBelow;
        // both are made before one is added: there may be no memory
        LockQueue.Request inWhole = kind == null ? null : new LockQueue.Request(task, whole, kind, own);
        LockQueue.Request inReaders = amongReaders == null || readers == null
                ? null
                : new LockQueue.Request(task, readers, amongReaders, own);
        if (inWhole == null && inReaders == null) {
            throw new AssertionError("a task that wants nothing of " + element);
        }
        if (inWhole != null) {
            task.add(inWhole);
        }
        if (inReaders != null) {
            task.add(inReaders);
        }
    }

    /** How a task meets others in the group as a whole; null if it does not. */
    private static LockQueue.@Nullable Kind kindInWhole(Access own, Access below) {
        if (own == Access.EXCLUSIVE || (own == Access.SHARED && below == Access.EXCLUSIVE)) {
            return LockQueue.Kind.ALONE;
        }
        if (own == Access.SHARED) {
            return LockQueue.Kind.READING;
        }
        return below == Access.EXCLUSIVE ? LockQueue.Kind.CHANGING_BELOW : null;
    }

    /** How a task meets those that only read something below the group; null if it does not. */
    private static LockQueue.@Nullable Kind kindAmongReadersBelow(Access own, Access below) {
        if (own == Access.EXCLUSIVE) {
            return LockQueue.Kind.ALONE;
        }
        return own == Access.NONE && below == Access.SHARED ? LockQueue.Kind.READING : null;
    }

    /**
     * The request behind all others; null if there is none, or if something below this group is read, or was, and may
     * have come later.
     */
    LockQueue.@Nullable Request lastOfAll() {
        return readersBelow == null ? whole.last() : null;
    }

    /** Of a root: the queue of those who want something below it. */
    LockQueue queueBelow(Access access) {
        return access == Access.EXCLUSIVE ? whole : readersBelow();
    }

    private LockQueue readersBelow() {
        if (readersBelow == null) {
            readersBelow = makeReadersBelow();
        }
        return readersBelow;
    }

    /** Makes the second queue with those who would be in it already. */
    private LockQueue makeReadersBelow() {
        LockQueue readers = new LockQueue(this, isRoot() ? LockQueue.Kind.READING : null);
        whole.forEach(request -> {
            if (request.isExclusive) {
                LockQueue.Request mirror =
                        new LockQueue.Request(request.task, readers, LockQueue.Kind.ALONE, Access.EXCLUSIVE);
                request.mirror = mirror;
                readers.add(mirror);
                if (!mirror.isGranted) {
                    // it waits in the first queue too, so it cannot be started meanwhile
                    mirror.task.waitForOneMore();
                }
            }
        });
        return readers;
    }

    /** Removes a request that is in its queue. */
    void leave(LockQueue.Request request, Consumer<? super LockQueue.Request> granted) {
        LockQueue.Request mirror = request.mirror;
        request.queue.remove(request, granted);
        if (mirror != null) {
            mirror.queue.remove(mirror, granted);
        }
    }

    boolean isEmpty() {
        return whole.isEmpty() && (readersBelow == null || readersBelow.isEmpty());
    }

    LockQueue whole() {
        return whole;
    }

    void forEachRequest(Consumer<? super LockQueue.Request> visitor) {
        whole.forEach(visitor);
        if (readersBelow != null) {
            readersBelow.forEach(visitor);
        }
    }

    /** Whether there is a reason to keep this group: a task, a pause, or a group within it that has one. */
    boolean isInUse() {
        return isRoot() || pauses > 0 || !isEmpty();
    }

    boolean isRemoved() {
        return pauses == REMOVED;
    }

    /** Plain is enough: a group that is removed has no task that would look. */
    void setRemoved() {
        PAUSES.set(this, REMOVED);
    }

    // live control

    boolean isPaused() {
        return (pauses & 1) != 0;
    }

    /** Whether a task has to wait that has this group: because of it, or of what it has with it. */
    boolean holdsUp(LockQueue.Request request) {
        int pauses = this.pauses;
        return request.isForGroup ? pauses > 0 : (pauses & 1) != 0;
    }

    /** Under the lock; false if that is how it was. */
    boolean setPaused(boolean paused) {
        if (paused == isPaused()) {
            return false;
        }
        int sign = paused ? 1 : -1;
        pauses += sign;
        for (Group outer = parent; outer != null; outer = outer.parent) {
            outer.pauses += 2 * sign;
        }
        return true;
    }

    // visits, which take the lock

    /** The tasks that have a request here. */
    Set<GroupedTask> tasks() {
        Set<GroupedTask> tasks = new LinkedHashSet<>();
        lock.lock();
        try {
            forEachRequest(request -> tasks.add(request.task));
        } finally {
            lock.unlock();
        }
        return tasks;
    }

    /** The tasks that want this group itself, and not only something below it. */
    Set<GroupedTask> tasksThatWantIt() {
        Set<GroupedTask> tasks = tasks();
        tasks.removeIf(task -> !task.wants(this));
        return tasks;
    }

    // limits

    /** How many tasks that want this group itself wait; it may seem to be fewer for a moment, and never more. */
    int queued() {
        return queued;
    }

    void addQueued(int more) {
        QUEUED.getAndAdd(this, more);
    }

    /** The task that has waited longest of those that want this group itself; null if none waits. Takes the lock. */
    @Nullable
    GroupedTask oldestWaiting() {
        lock.lock();
        try {
            for (LockQueue.Request request = whole.first(); request != null; request = request.next) {
                if (request.isForGroup && request.task.queued() > 0) {
                    return request.task;
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
