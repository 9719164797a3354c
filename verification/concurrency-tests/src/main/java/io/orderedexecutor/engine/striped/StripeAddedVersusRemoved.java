package io.orderedexecutor.engine.striped;

import io.orderedexecutor.FewStripes;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A stripe that is added while the only other one of its bin is removed is found, and nothing else is. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the one that was added")
@State
public class StripeAddedVersusRemoved {
    private final FewStripes stripes = new FewStripes();
    private final Stripe ended = FewStripes.stripe("ended");
    private final Stripe added = FewStripes.stripe("added");

    public StripeAddedVersusRemoved() {
        stripes.addStripe(ended);
    }

    @Actor
    public void add() {
        stripes.addStripe(added);
    }

    @Actor
    public void remove() {
        stripes.remove(ended);
    }

    @Arbiter
    public void look(II_Result result) {
        result.r1 = stripes.size();
        result.r2 = stripes.strands().contains(added) ? 1 : 0;
    }
}
