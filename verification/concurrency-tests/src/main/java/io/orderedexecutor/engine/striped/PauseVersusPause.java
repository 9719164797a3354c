package io.orderedexecutor.engine.striped;

import io.orderedexecutor.StripedExecutor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads that pause a stripe while it ends: it is paused when either of them has returned. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it is paused")
@State
public class PauseVersusPause {
    private static final String KEY = "key";

    private @Nullable Runnable stripe;
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(work -> stripe = work).build();

    public PauseVersusPause() {
        executor.execute(KEY, () -> {});
    }

    @Actor
    public void serve() {
        Objects.requireNonNull(stripe).run();
    }

    @Actor
    public void pause(II_Result result) {
        result.r1 = pause();
    }

    @Actor
    public void pauseAsWell(II_Result result) {
        result.r2 = pause();
    }

    private int pause() {
        executor.pause(KEY);
        return executor.isPaused(KEY) ? 1 : 0;
    }
}
