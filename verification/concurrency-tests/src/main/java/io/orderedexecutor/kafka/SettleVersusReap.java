package io.orderedexecutor.kafka;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A worker settles records while the consumer thread takes back what is settled: the watermark is never beyond a record
 * that is not settled, and in the end it is beyond both.
 */
@JCStressTest
@Outcome(id = "0, 2, 0", expect = Expect.ACCEPTABLE, desc = "the first one was not settled yet")
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both were settled")
@State
public class SettleVersusReap {
    private final Assignment<String, String> assignment = OneAssignment.empty();
    private final TrackedRecord<String, String> first = OneAssignment.add(assignment, 0);
    private final TrackedRecord<String, String> second = OneAssignment.add(assignment, 1);

    public SettleVersusReap() {
        first.start();
        second.start();
    }

    @Actor
    public void settle() {
        second.settle();
        first.settle();
    }

    @Actor
    public void reap(III_Result result) {
        assignment.reap();
        result.r1 = (int) assignment.watermark();
    }

    @Arbiter
    public void rest(III_Result result) {
        assignment.reap();
        result.r2 = (int) assignment.watermark();
        result.r3 = assignment.unsettledCount();
    }
}
