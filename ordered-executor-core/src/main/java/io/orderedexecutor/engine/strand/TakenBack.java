package io.orderedexecutor.engine.strand;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that a {@code shutdownNow} takes back, as they were submitted. Room for a task is made before the task is
 * taken out of its queue, so that no task is lost if there is no memory for it.
 *
 * <p>Used by one thread at a time; those that use it one after the other hand it over under a lock.
 */
public final class TakenBack {
    private final ArrayList<Runnable> tasks;

    /** For those who keep several of them. */
    public @Nullable TakenBack next;

    public TakenBack() {
        this(new ArrayList<>());
    }

    /** For a test that has no memory at an instruction of choice. */
    @SuppressWarnings("NonApiType") // other lists make no room beforehand
    TakenBack(ArrayList<Runnable> tasks) {
        this.tasks = tasks;
    }

    /** Makes room for so many more tasks. */
    public void makeRoom(int more) {
        tasks.ensureCapacity(tasks.size() + more);
    }

    public void add(Runnable submitted) {
        tasks.add(submitted);
    }

    /** All of them, in the order in which they were taken back; for a caller to keep. */
    public List<Runnable> tasks() {
        return tasks;
    }
}
