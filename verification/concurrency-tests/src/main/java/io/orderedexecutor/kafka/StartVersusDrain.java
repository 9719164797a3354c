package io.orderedexecutor.kafka;

import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A worker starts a record while the consumer thread drains: what has run is committed, or the next owner would run it
 * again, and what is committed has run, or it would be lost.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "dropped, and not committed")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it has run, and is committed")
@State
public class StartVersusDrain {
    private final Assignment<String, String> assignment = OneAssignment.empty();
    private final TrackedRecord<String, String> record = OneAssignment.add(assignment, 0);

    @Actor
    public void run(II_Result result) {
        if (record.start()) {
            result.r1 = 1;
            record.settle();
        }
    }

    @Actor
    public void drain(II_Result result) {
        assignment.drain();
        if (assignment.awaitRunning(System.nanoTime() + TimeUnit.SECONDS.toNanos(10))) {
            assignment.reap();
            result.r2 = (int) assignment.watermark();
        }
    }
}
