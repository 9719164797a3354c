package io.orderedexecutor.engine.strand;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A task is taken once: by the server in its turn, or by somebody else before it; and it is counted no more. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "the server was first")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "the other was first")
@State
public class ClaimVersusTakeOut {
    private final Runnable task = ClaimVersusTakeOut::doNothing;
    private final LinkQueue queue = new CountedQueue(task);

    @Actor
    public void claim(III_Result result) {
        result.r1 = queue.claimFrom(queue.head()) == null ? 0 : 1;
    }

    @Actor
    public void takeOut(III_Result result) {
        result.r2 = queue.takeOut(queue.head(), task) ? 1 : 0;
    }

    @Arbiter
    public void count(III_Result result) {
        queue.claimFrom(queue.head());
        result.r3 = queue.queued();
    }

    private static void doNothing() {
        // what it is taken for does not matter
    }
}
