package io.orderedexecutor.engine.output;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An output of digits on threads of its own, which are called to it and not to each piece. The actors of a test are
 * these threads.
 */
final class CalledOutput implements Workers {
    private static final int WINDOW = 16;

    private final List<Runnable> calls = new CopyOnWriteArrayList<>();
    private final OutputEngine engine = new OutputEngine(
            new Settings(
                    "digits",
                    Limits.UNLIMITED,
                    WINDOW,
                    false,
                    Overflow.reject(),
                    FailurePolicy.proceed(),
                    List.of(),
                    Platform.JDK),
            Limits.UNLIMITED,
            this,
            () -> {});

    /** Written by one output after the other. */
    private int written;

    private final OutputSequence<Integer> output = engine.open(
            "digits",
            new OutputSettings<>(
                    null, digit -> written = 10 * written + digit, WINDOW, Limits.UNLIMITED, OutputFailure.skip()));

    void submit(int digit) {
        Callable<Integer> work = () -> digit;
        engine.place(output, new Piece<>(work, false), null);
    }

    void run(int call) {
        calls.get(call).run();
    }

    /** Runs all calls that no actor has run, also those that come meanwhile, and gives what was written. */
    int rest(int run) {
        for (int call = run; call < calls.size(); call++) {
            run(call);
        }
        return written;
    }

    @Override
    public void handOver(Runnable work) {
        calls.add(work);
    }

    @Override
    public boolean passOn(Runnable work) {
        return calls.add(work);
    }

    @Override
    public void runElsewhere(Runnable work) {
        calls.add(work);
    }

    @Override
    public boolean mayServeMany() {
        return true;
    }

    @Override
    public boolean isWantedElsewhere() {
        return false;
    }

    @Override
    public Platform platform() {
        return Platform.JDK;
    }

    @Override
    public Turn turn() {
        return Turn.DEFAULT;
    }

    @Override
    public void setTurn(Turn turn) {
        // not asked for
    }

    @Override
    public int threads() {
        return UNKNOWN;
    }

    @Override
    public void setThreads(int threads) {
        // not asked for
    }
}
