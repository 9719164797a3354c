package io.orderedexecutor.engine.grouped;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lock requests of tasks on a {@link Group}, in order of submission. A request is granted if all requests before it
 * are granted and compatible with it. So the granted requests are the first ones: a single one that excludes all
 * others, or several of one kind; and the requests that a removal grants directly follow the removed one, whether that
 * one was granted or, being cancelled, was not.
 *
 * <p>In the queues of a root, nearly all requests come from tasks that only want something below it, and are granted at
 * once. Such a request needs no object: the queue counts it, as if it were before all others. The tasks that are
 * counted are found through their requests in the groups below. A request that comes while another one waits, or for
 * which others would have to wait, is an object.
 *
 * <p>Everything here is guarded by the lock of the group's segment.
 */
final class LockQueue {

    /** Two requests are compatible if they are of the same kind, and it is not {@link #ALONE}. */
    enum Kind {
        ALONE,
        READING,
        CHANGING_BELOW
    }

    /** The request of one task in one queue. Guarded by the lock of the group's segment, unless it says otherwise. */
    static final class Request {
        /** Immutable. */
        final GroupedTask task;

        /** Immutable. */
        final LockQueue queue;

        /** Immutable. */
        final Kind kind;

        /**
         * Whether the task wants the group itself, and not only something below it; true for one of its requests in a
         * group. Immutable.
         */
        final boolean isForGroup;

        /** Whether the task wants the group itself exclusively. Immutable. */
        final boolean isExclusive;

        /** The task's next request. Written before the task can be found, and not changed afterwards. */
        @Nullable
        Request nextOfTask;

        /** The request in the same group's other queue, if that queue was made later. */
        @Nullable
        Request mirror;

        /** The queue of the root that counts the task, if this request is the one that has to tell it. */
        @Nullable
        LockQueue countedIn;

        @Nullable
        Request before;

        @Nullable
        Request next;

        boolean isGranted;

        /**
         * Whether this is the only request of a task that wants one group exclusively, and tasks that want the same may
         * be linked behind that task.
         */
        boolean isJoinable;

        Request(GroupedTask task, LockQueue queue, Kind kind, Access own) {
            this.task = task;
            this.queue = queue;
            this.kind = kind;
            this.isForGroup = own != Access.NONE && queue == queue.group.whole();
            this.isExclusive = own == Access.EXCLUSIVE;
        }

        boolean isCompatibleWith(Request other) {
            return kind == other.kind && kind != Kind.ALONE;
        }

        /** Whether this request has left its queue, or has not come there yet. */
        boolean isOut() {
            return before == null && queue.first != this;
        }
    }

    /** Immutable. */
    final Group group;

    /** The kind of the requests that are counted; null if none are. Immutable. */
    private final @Nullable Kind countedKind;

    private int counted;

    private @Nullable Request first;

    private @Nullable Request last;

    LockQueue(Group group, @Nullable Kind countedKind) {
        this.group = group;
        this.countedKind = countedKind;
    }

    @Nullable
    Request first() {
        return first;
    }

    @Nullable
    Request last() {
        return last;
    }

    boolean isEmpty() {
        return first == null && counted == 0;
    }

    /** Adds a request behind all others; it is granted at once, or has to wait. */
    void add(Request request) {
        Request before = last;
        request.before = before;
        if (before == null) {
            first = request;
        } else {
            before.next = request;
        }
        last = request;
        request.isGranted = mayBeGranted(request);
    }

    /** Removes a request, and tells which ones are granted by that. */
    void remove(Request request, Consumer<? super Request> granted) {
        Request before = request.before;
        Request next = request.next;
        if (before == null) {
            first = next;
        } else {
            before.next = next;
        }
        if (next == null) {
            last = before;
        } else {
            next.before = before;
        }
        // a removed request must not keep its former neighbours reachable
        request.before = null;
        request.next = null;
        grantFrom(next, granted);
    }

    private void grantFrom(@Nullable Request first, Consumer<? super Request> granted) {
        Request request = first;
        while (request != null && !request.isGranted && mayBeGranted(request)) {
            request.isGranted = true;
            granted.accept(request);
            request = request.next;
        }
    }

    private boolean mayBeGranted(Request request) {
        Request before = request.before;
        return before == null
                ? counted == 0 || request.kind == countedKind
                : before.isGranted && request.isCompatibleWith(before);
    }

    // requests that are only counted

    boolean counts() {
        return counted > 0;
    }

    /** Whether counting is enough for one more: no request waits, and none would have to wait for it. */
    boolean mayCountOneMore() {
        Request last = this.last;
        return last == null || (last.isGranted && last.kind == countedKind);
    }

    void count() {
        counted++;
    }

    /** One less, which may grant the first requests. */
    void discount(Consumer<? super Request> granted) {
        counted--;
        grantFrom(first, granted);
    }

    /**
     * Whether the tasks that are counted have to end before a request that waits can be granted, if it is the first.
     */
    boolean isBehindCounted(@Nullable Request firstAhead) {
        return counted > 0 && (firstAhead == null || (firstAhead.before == null && firstAhead.kind == countedKind));
    }

    // visits

    void forEach(Consumer<? super Request> visitor) {
        for (Request request = first; request != null; request = request.next) {
            visitor.accept(request);
        }
    }

    void forEachGranted(Consumer<? super Request> visitor) {
        for (Request request = first; request != null && request.isGranted; request = request.next) {
            visitor.accept(request);
        }
    }

    /** Visits the requests that cannot be granted together with the ones that are only counted. */
    void forEachBehindCounted(Consumer<? super Request> visitor) {
        forEach(request -> {
            if (request.kind != countedKind) {
                visitor.accept(request);
            }
        });
    }
}
