package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.executor.Limits;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The queue of a strand is a queue from which any thread can take tasks out before their turn. It is served by one
 * thread at a time, and only what is in the queue is taken out.
 */
@Param(name = "waiting", gen = IntGen.class, conf = "0:1")
public class LinearLinkQueue {

    private record Task(int number) implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("it is taken, and not run");
        }
    }

    private final LinkQueue queue = new CountedQueue(new Task(-1));
    private final Task[] waiting = {new Task(0), new Task(1)};
    private final Link[] links = {new Link(waiting[0]), new Link(waiting[1])};
    private Link current = queue.head();

    public LinearLinkQueue() {
        queue.claimFrom(current);
        queue.enqueue(links[0], Limits.UNLIMITED);
        queue.enqueue(links[1], Limits.UNLIMITED);
    }

    @Operation(runOnce = true)
    public void placeTwo() {
        queue.enqueue(new Link(new Task(2)), Limits.UNLIMITED);
    }

    @Operation(runOnce = true)
    public void placeThree() {
        queue.enqueue(new Link(new Task(3)), Limits.UNLIMITED);
    }

    /** Takes a task out; false if it does not wait any more. */
    @Operation
    public boolean takeOut(@Param(name = "waiting") int number) {
        return queue.takeOut(links[number], waiting[number]);
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
        private final List<Integer> waiting = new ArrayList<>(List.of(0, 1));

        public void placeTwo() {
            waiting.add(2);
        }

        public void placeThree() {
            waiting.add(3);
        }

        public boolean takeOut(int number) {
            return waiting.remove((Integer) number);
        }

        public int serve() {
            return waiting.isEmpty() ? -1 : waiting.remove(0);
        }
    }
}
