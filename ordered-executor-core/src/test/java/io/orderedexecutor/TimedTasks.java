package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** Compares what was noted of many tasks with what a sequential executor could have done. */
final class TimedTasks {

    private TimedTasks() {}

    /** R2: of two that conflict, one has ended before the other starts. */
    static List<String> overlaps(List<TimedTask> tasks) {
        List<String> found = new ArrayList<>();
        List<TimedTask> running = new ArrayList<>();
        for (TimedTask task : byStart(tasks)) {
            running.removeIf(other -> other.ended < task.started);
            for (TimedTask other : running) {
                if (other.touch.conflictsWith(task.touch)) {
                    found.add(other + " overlaps with " + task);
                }
            }
            running.add(task);
        }
        return found;
    }

    /**
     * R1: of two that conflict, the one whose submission had ended before that of the other began has started first.
     * With several producers too: that the two submissions did not overlap is all that counts. Conflicting tasks that
     * do not overlap are in the order of time, which is the same in all groups.
     */
    static List<String> inversions(List<TimedTask> tasks) {
        List<String> found = new ArrayList<>();
        TreeMap<Long, TimedTask> startedBySubmission = new TreeMap<>();
        for (TimedTask task : byStart(tasks)) {
            for (TimedTask later :
                    startedBySubmission.tailMap(task.submissionEnded, false).values()) {
                if (later.touch.conflictsWith(task.touch)) {
                    found.add(later + " was before " + task);
                }
            }
            startedBySubmission.put(task.submissionBegan, task);
        }
        return found;
    }

    private static List<TimedTask> byStart(List<TimedTask> tasks) {
        return tasks.stream()
                .filter(task -> task.started != TimedTask.NEVER)
                .sorted(Comparator.comparingLong(task -> task.started))
                .toList();
    }
}
