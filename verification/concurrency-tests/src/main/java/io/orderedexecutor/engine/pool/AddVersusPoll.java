package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A block of the ready queue that gets its element while it is looked at is not passed over. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both are found, each once")
@State
public class AddVersusPoll {
    private final ReadyQueue<Integer> queue = new ReadyQueue<>(1);
    private int sum;

    @Actor
    public void add() {
        queue.add(1);
        queue.add(1);
    }

    @Actor
    public void poll() {
        take(queue.poll());
    }

    @Arbiter
    public void rest(II_Result result) {
        while (!queue.isEmpty()) {
            take(queue.poll());
        }
        result.r1 = queue.poll() == null ? 1 : 0;
        result.r2 = sum;
    }

    private void take(@Nullable Integer element) {
        sum += element == null ? 0 : element;
    }
}
