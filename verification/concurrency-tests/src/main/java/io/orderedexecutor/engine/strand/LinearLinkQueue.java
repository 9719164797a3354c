package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.executor.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a strand is a queue from which any thread can take tasks out before their turn. It is served by one
 * thread at a time.
 */
@Param(name = "task", gen = IntGen.class, conf = "1:3")
public class LinearLinkQueue {
    private static final int TASKS = 4;

    private record Task(int number) implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("it is taken, and not run");
        }
    }

    private final LinkQueue queue = new CountedQueue(new Task(0));
    private final AtomicReferenceArray<@Nullable Task> placed = new AtomicReferenceArray<>(TASKS);
    private final AtomicReferenceArray<@Nullable Link> links = new AtomicReferenceArray<>(TASKS);
    private Link current = queue.head();

    public LinearLinkQueue() {
        queue.claimFrom(current);
    }

    /** Places a task, unless it was placed before. */
    @Operation
    public void place(@Param(name = "task") int number) {
        Task task = new Task(number);
        if (placed.compareAndSet(number, null, task)) {
            Link link = new Link(task);
            queue.enqueue(link, Limits.UNLIMITED);
            links.set(number, link);
        }
    }

    /** Takes a task out; false if it does not wait. */
    @Operation
    public boolean takeOut(@Param(name = "task") int number) {
        Link link = links.get(number);
        Task task = placed.get(number);
        return link != null && task != null && queue.takeOut(link, task);
    }

    /** Serves the next task: its number, or -1 if none waits. */
    @Operation(nonParallelGroup = "server")
    public int serve() {
        while (current.next() != null) {
            current = queue.advance(current);
            if (queue.claimFrom(current) instanceof Task task) {
                return task.number();
            }
        }
        return -1;
    }

    /** What it should be. */
    public static class Specification {
        private final List<Integer> placed = new ArrayList<>();
        private final List<Integer> waiting = new ArrayList<>();

        public void place(int number) {
            if (!placed.contains(number)) {
                placed.add(number);
                waiting.add(number);
            }
        }

        public boolean takeOut(int number) {
            return waiting.remove((Integer) number);
        }

        public int serve() {
            return waiting.isEmpty() ? -1 : waiting.remove(0);
        }
    }
}
