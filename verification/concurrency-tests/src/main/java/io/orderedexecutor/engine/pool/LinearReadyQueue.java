package io.orderedexecutor.engine.pool;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;

/** The queue of ready strands is a queue: first in, first out. */
@Param(name = "element", gen = IntGen.class, conf = "1:3")
public class LinearReadyQueue {
    private final ReadyQueue<Integer> queue = new ReadyQueue<>(1);

    @Operation
    public void add(@Param(name = "element") int element) {
        queue.add(element);
    }

    @Operation
    public @Nullable Integer poll() {
        return queue.poll();
    }

    @Operation
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /** What it should be. */
    public static class Specification {
        private final Queue<Integer> queue = new ArrayDeque<>();

        public void add(int element) {
            queue.add(element);
        }

        public @Nullable Integer poll() {
            return queue.poll();
        }

        public boolean isEmpty() {
            return queue.isEmpty();
        }
    }
}
