package io.orderedexecutor.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.engine.order.Grants;
import io.orderedexecutor.engine.order.Many;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets each {@link OrderedTask} wait for the earlier ones that it is not compatible with. These tasks have no key:
 * their order is that in which they are listed.
 *
 * <p>A task is first listed, so that later tasks see it. Then its submitter compares it with the earlier tasks, with no
 * lock held; the task is not granted before that. So each pair is compared at most once, by the submitter of the later
 * task. The place of a task also stands in an order of its own, so that it waits for barriers, and barriers for it. All
 * of these orders are in one bin, and a task is listed under that bin: so a barrier that stands behind a task also
 * stands behind all tasks that were listed before.
 */
public final class Comparisons {
    private final ReentrantLock lock = new ReentrantLock();

    /** The tasks that have not ended, in the order of their submission. */
    @GuardedBy("lock")
    private final Set<Compared> listed = new LinkedHashSet<>();

    /**
     * The listed tasks that have a compatibility class, by its hash code. The compatibility class itself is not the key
     * of this map: its {@code equals} is code of the application, which must not run under the lock.
     */
    @GuardedBy("lock")
    private final Map<Integer, Set<Compared>> byClass = new HashMap<>();

    /** The listed tasks that have no compatibility class, and so may conflict with any other. */
    @GuardedBy("lock")
    private final Set<Compared> classless = new LinkedHashSet<>();

    /** The place of an {@link OrderedTask}. */
    public static final class Compared extends Many implements Served {
        private final Comparisons comparisons;
        private final OrderedTask task;

        /** Null if the task may conflict with any other. */
        private final @Nullable Object compatibilityClass;

        private final int hashOfClass;

        /** The earlier tasks to compare this one with. Used by its submitter. */
        private List<Compared> earlier = List.of();

        /** The tasks that this one waits for. Guarded by the lock of the comparisons. */
        private final Set<Compared> before = new LinkedHashSet<>();

        /** The tasks that wait for this one. Guarded by the lock of the comparisons. */
        private final Set<Compared> behind = new LinkedHashSet<>();

        public Compared(
                Object state, Orders orders, Object target, long queuedAt, Comparisons comparisons, OrderedTask task) {
            super(state, orders, target, queuedAt, 0, 1, 0);
            this.comparisons = comparisons;
            this.task = task;
            this.compatibilityClass = task.compatibilityClass();
            this.hashOfClass = Objects.hashCode(compatibilityClass);
        }

        @Override
        public int countedSteps() {
            return 0;
        }

        /** Called under the bin of its order, when the place enters that. */
        public void list() {
            earlier = comparisons.listed(this);
        }

        /** Called when the place has entered its order: lets it wait for the earlier tasks that it conflicts with. */
        public void compare() {
            List<Compared> candidates = earlier;
            earlier = List.of();
            comparisons.compare(this, candidates);
        }

        @Override
        @Nullable
        protected Grants leaveElsewhere() {
            return comparisons.leave(this);
        }

        /** The earlier tasks that this one waits for. */
        List<Place> before() {
            return comparisons.before(this);
        }

        /**
         * Whether the compatibility classes allow a conflict: one of the tasks has no class, or the classes are equal.
         * If so, {@link #isCompatibleWith} decides.
         */
        private boolean isLike(Compared other) {
            try {
                return compatibilityClass == null
                        || other.compatibilityClass == null
                        || compatibilityClass.equals(other.compatibilityClass);
            } catch (Throwable failure) {
                UncaughtFailures.report(failure);
                return true;
            }
        }

        private boolean isCompatibleWith(Compared earlier) {
            try {
                return task.isCompatible(earlier.task) && earlier.task.isCompatible(task);
            } catch (Throwable failure) {
                // one after the other is always correct
                UncaughtFailures.report(failure);
                return false;
            }
        }
    }

    /** Asks the application which candidates conflict with a place, and lets the place wait for those. */
    private void compare(Compared place, List<Compared> candidates) {
        List<Compared> conflicting = new ArrayList<>(candidates);
        conflicting.removeIf(other -> !place.isLike(other) || other.isTakenBack() || place.isCompatibleWith(other));
        lock.lock();
        try {
            for (Compared other : conflicting) {
                if (listed.contains(other) && listed.contains(place)) {
                    other.behind.add(place);
                    place.before.add(other);
                    place.waitForMore(1);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lists a task; returns the earlier tasks that it may conflict with. */
    private List<Compared> listed(Compared place) {
        lock.lock();
        try {
            List<Compared> earlier;
            if (place.compatibilityClass == null) {
                earlier = new ArrayList<>(listed);
                classless.add(place);
            } else {
                Set<Compared> likes = byClass.computeIfAbsent(place.hashOfClass, hash -> new LinkedHashSet<>());
                earlier = new ArrayList<>(likes);
                earlier.addAll(classless);
                likes.add(place);
            }
            listed.add(place);
            return earlier;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Grants leave(Compared place) {
        List<Compared> behind;
        lock.lock();
        try {
            listed.remove(place);
            classless.remove(place);
            Set<Compared> likes = byClass.get(place.hashOfClass);
            if (likes != null && likes.remove(place) && likes.isEmpty()) {
                byClass.remove(place.hashOfClass);
            }
            behind = List.copyOf(place.behind);
            for (Compared other : behind) {
                other.before.remove(place);
            }
            for (Compared other : place.before) {
                // there is one only if this place was taken back while it waited
                other.behind.remove(place);
            }
            place.behind.clear();
            place.before.clear();
        } finally {
            lock.unlock();
        }
        Grants grants = null;
        for (Compared other : behind) {
            if (other.countDown()) {
                grants = grants == null ? new Grants() : grants;
                grants.add(other);
            }
        }
        return grants;
    }

    /** See {@link #listed}. */
    public List<Place> all() {
        lock.lock();
        try {
            return List.copyOf(listed);
        } finally {
            lock.unlock();
        }
    }

    private List<Place> before(Compared place) {
        lock.lock();
        try {
            return List.copyOf(place.before);
        } finally {
            lock.unlock();
        }
    }
}
