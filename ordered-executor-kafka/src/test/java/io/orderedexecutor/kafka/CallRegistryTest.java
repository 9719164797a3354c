package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

/** What adapters see of observations, with handlers that throw. */
class CallRegistryTest {
    private final ObservationRegistry real = ObservationRegistry.create();
    private final CallRegistry registry = new CallRegistry(real);

    @Test
    void handlersThatThrowDisturbNoAdapter() {
        FailingHandler handler = FailingHandler.in(real, "error", "opened", "closed");
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
            assertThat(log.lines())
                    .as("told several times, and logged once")
                    .singleElement()
                    .asString()
                    .startsWith("ERROR An observation handler failed");
        }
        assertThat(registry.currentCall()).isNull();
        assertThat(handler.told).contains("opened", "error");
    }
}
