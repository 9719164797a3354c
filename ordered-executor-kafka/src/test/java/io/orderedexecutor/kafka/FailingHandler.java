package io.orderedexecutor.kafka;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A handler of observations that notes what it is told, and throws at some of it. Used by one thread. */
final class FailingHandler implements ObservationHandler<Observation.Context> {
    final List<String> told = new ArrayList<>();
    private final Set<String> failsAt;

    private FailingHandler(String... failsAt) {
        this.failsAt = Set.of(failsAt);
    }

    /** Added to a registry, it fails at some of {@code start, error, opened, closed, stop}. */
    static FailingHandler in(ObservationRegistry registry, String... failsAt) {
        FailingHandler handler = new FailingHandler(failsAt);
        registry.observationConfig().observationHandler(handler);
        return handler;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStart(Observation.Context context) {
        at("start");
    }

    @Override
    public void onError(Observation.Context context) {
        at("error");
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
        at("opened");
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
        at("closed");
    }

    @Override
    public void onStop(Observation.Context context) {
        at("stop");
    }

    private void at(String method) {
        told.add(method);
        if (failsAt.contains(method)) {
            // as in Kotlin, where nothing is declared
            FailingHandler.<RuntimeException>throwUndeclared(new IOException(method));
        }
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void throwUndeclared(Throwable checked) throws T {
        throw (T) checked;
    }
}
