package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What adapters see of observations, with handlers that throw. */
class CallRegistryTest {
    private final List<String> told = new ArrayList<>();
    private final ObservationRegistry real = ObservationRegistry.create();
    private final CallRegistry registry = new CallRegistry(real);

    private final class Throwing implements ObservationHandler<Observation.Context> {
        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onError(Observation.Context context) {
            fail("error");
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            fail("opened");
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            fail("closed");
        }

        private void fail(String method) {
            told.add(method);
            // as in Kotlin, where nothing is declared
            CallRegistryTest.<RuntimeException>throwUndeclared(new IOException(method));
        }
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void throwUndeclared(Throwable checked) throws T {
        throw (T) checked;
    }

    @Test
    void handlersThatThrowDisturbNoAdapter() {
        real.observationConfig().observationHandler(new Throwing());
        ListenerCall call = new ListenerCall(Observation.start("call", real), failure -> {});
        try (LogLines log = new LogLines(CallRegistry.class.getName())) {
            assertThat(registry.enter(call)).isNull();
            Observation watched = registry.getCurrentObservation();
            assertThat(watched).isNotNull();
            try (Observation.Scope scope = watched.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(watched);
                watched.error(new IllegalArgumentException("of the listener"));
            }
            assertThat(registry.currentCall()).isSameAs(call);
            registry.leave(null);
            assertThat(real.getCurrentObservationScope()).isNull();
            assertThat(log.lines()).allMatch(line -> line.startsWith("ERROR ")).hasSizeGreaterThanOrEqualTo(2);
        }
        assertThat(registry.currentCall()).isNull();
        assertThat(told).contains("opened", "error");
    }
}
