package io.orderedexecutor.engine.strand;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A queue in which nothing waits never seems to be full, while the server passes what was taken out. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "nothing waits")
@State
public class CountVersusPass {
    private final LinkQueue queue = new CountedQueue(() -> {});
    private final Link link = queue.head();

    public CountVersusPass() {
        queue.claimFrom(link);
        queue.enqueueVacated();
    }

    @Actor
    public void pass() {
        queue.claimFrom(queue.advance(link));
    }

    @Actor
    public void count(I_Result result) {
        result.r1 = queue.queued();
    }
}
