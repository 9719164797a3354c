package io.orderedexecutor.soak;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A key that is used again and again. Its tasks say when they enter and leave: none overlaps another one that it must
 * not, and those of one submitter come in their order.
 */
final class Lane {
    private static final int EXCLUSIVE = -1;

    /** How many tasks that share it are inside, or {@link #EXCLUSIVE}. */
    private final AtomicInteger inside = new AtomicInteger();

    /** The last exclusive task of each submitter that was inside. Protected by nothing but the order of the tasks. */
    private final long[] last;

    /** How many places each submitter has taken. Used by that submitter. */
    private final long[] taken;

    Lane(int submitters) {
        last = new long[submitters];
        taken = new long[submitters];
    }

    /** The place of one task. */
    record Place(Lane lane, int submitter, long number, boolean isShared) {

        /** Enters; returns what is wrong, or null. */
        String enter(boolean isAgain) {
            int others = lane.inside.getAndUpdate(was -> isShared && was >= 0 ? was + 1 : EXCLUSIVE);
            if (isShared ? others < 0 : others != 0) {
                return "two tasks of a key overlap: " + this + ", inside " + others;
            }
            long before = lane.last[submitter];
            // those that run again may do so together: a batch is retried as a whole
            if (before >= number && !isAgain) {
                return "out of order: " + this + " after " + before;
            }
            if (!isShared) {
                lane.last[submitter] = Math.max(before, number);
            }
            return null;
        }

        void leave() {
            lane.inside.getAndUpdate(was -> isShared && was > 0 ? was - 1 : 0);
        }

        @Override
        public String toString() {
            return "task " + number + " of submitter " + submitter + (isShared ? ", shared" : "");
        }
    }

    /** Takes the next place; called by the submitter, in the order of its submissions. */
    Place next(int submitter, boolean isShared) {
        taken[submitter]++;
        return new Place(this, submitter, taken[submitter], isShared);
    }
}
