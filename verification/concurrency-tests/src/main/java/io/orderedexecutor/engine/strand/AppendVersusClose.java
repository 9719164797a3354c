package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.executor.Limits;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A link is appended and served, or the queue has ended and the submitter knows. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "appended and served")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "ended before")
@State
public class AppendVersusClose {
    private final LinkQueue queue = new CountedQueue(() -> {});

    @Actor
    public void append(II_Result result) {
        result.r1 = queue.enqueue(new Link(() -> {}), Limits.UNLIMITED) == Placed.LINKED ? 1 : 0;
    }

    @Actor
    public void serve(II_Result result) {
        Link link = queue.head();
        queue.claimFrom(link);
        while (!link.close()) {
            link = queue.advance(link);
            result.r2 += queue.claimFrom(link) == null ? 0 : 1;
        }
    }
}
