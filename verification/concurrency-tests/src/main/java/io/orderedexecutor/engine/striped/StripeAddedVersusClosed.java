package io.orderedexecutor.engine.striped;

import io.orderedexecutor.FewStripes;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A stripe is added before the table is closed, which then is not empty, or is not added; the last one to go says so.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "added before")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "closed before")
@State
public class StripeAddedVersusClosed {
    private final FewStripes stripes = new FewStripes();
    private final Stripe added = FewStripes.stripe("added");

    @Actor
    public void add(III_Result result) {
        result.r1 = stripes.addStripe(added) ? 1 : 0;
    }

    @Actor
    public void close(III_Result result) {
        result.r2 = stripes.close() ? 1 : 0;
    }

    @Arbiter
    public void end(III_Result result) {
        result.r3 = result.r1 == 1 && stripes.remove(added) ? 1 : 0;
    }
}
