package io.orderedexecutor.kafka;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An operator skips a record while a worker parks it: the action finds it and works, or does not find it yet. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "not parked yet, and found afterwards")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "found and skipped")
@State
public class ParkVersusAction {
    private final Assignment<String, String> assignment = OneAssignment.empty();
    private final TrackedRecord<String, String> record =
            OneAssignment.add(assignment, 0, new IllegalStateException("cannot be deserialised"));

    @Actor
    public void park() {
        OneAssignment.RUNNER.begin(record);
    }

    @Actor
    public void skip(II_Result result) {
        result.r1 = OneAssignment.RUNNER.unpark(assignment, 0, ParkedAction.SKIP) ? 1 : 0;
    }

    @Arbiter
    public void rest(II_Result result) {
        if (result.r1 == 0) {
            OneAssignment.RUNNER.unpark(assignment, 0, ParkedAction.SKIP);
        }
        result.r2 = record.end.isDone() ? 1 : 0;
    }
}
