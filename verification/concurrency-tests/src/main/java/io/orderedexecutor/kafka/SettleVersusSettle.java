package io.orderedexecutor.kafka;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two workers settle records at the same time: none is forgotten. */
@JCStressTest
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both are settled")
@State
public class SettleVersusSettle {
    private final Assignment<String, String> assignment = OneAssignment.empty();
    private final TrackedRecord<String, String> first = OneAssignment.add(assignment, 0);
    private final TrackedRecord<String, String> second = OneAssignment.add(assignment, 1);

    public SettleVersusSettle() {
        first.start();
        second.start();
    }

    @Actor
    public void settleFirst() {
        first.settle();
    }

    @Actor
    public void settleSecond() {
        second.settle();
    }

    @Arbiter
    public void rest(II_Result result) {
        assignment.reap();
        result.r1 = (int) assignment.watermark();
        result.r2 = assignment.unsettledCount();
    }
}
