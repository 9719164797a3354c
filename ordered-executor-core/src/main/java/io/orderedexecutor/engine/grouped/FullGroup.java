package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.strand.Reason;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;

/**
 * A group in which there is no room.
 *
 * @param executor the executor, as messages name it
 */
record FullGroup(Group group, String executor) implements LimitedKey {

    @Override
    public int hash() {
        return group.hash();
    }

    @Override
    public boolean dropOldest() {
        return GroupSegment.dropOldest(group);
    }

    @Override
    public boolean hasReserved() {
        return group.tasksThatWantIt().stream()
                .anyMatch(task -> task.host().openPlaces().areIn(task));
    }

    @Override
    public Reason fullBecause(int capacity) {
        GroupedTask oldest = group.oldestWaiting();
        return oldest == null
                ? Reason.NONE
                : new Reason(
                        new Explanation.NoRoom(new Place(oldest.host().name(), "group", group.key()), capacity),
                        oldest);
    }

    @Override
    public String describe() {
        return "group " + TaskReporter.toString(group.key()) + " of " + executor;
    }
}
