package io.orderedexecutor.test.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.test.Simulation;
import io.orderedexecutor.test.SimulationTest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

class SeatsTest {

    static class Seats {
        private final Map<String, String> guests = new ConcurrentHashMap<>();
        private final StripedExecutor executor;

        Seats(StripedExecutor executor) {
            this.executor = executor;
        }

        CompletableFuture<Boolean> book(String seat, String guest) {
            return executor.submit(seat, () -> {
                if (guests.containsKey(seat)) {
                    return false;
                }
                guests.put(seat, guest);
                return true;
            });
        }
    }

    @SimulationTest
    void aSeatIsBookedOnce(Simulation simulation) {
        Seats seats = new Seats(simulation.striped("seats").build());
        var alice = new CompletableFuture<Boolean>();
        var bob = new CompletableFuture<Boolean>();
        simulation.thread(
                "alice", () -> alice.complete(seats.book("1A", "alice").join()));
        simulation.thread("bob", () -> bob.complete(seats.book("1A", "bob").join()));
        simulation.run();
        assertThat(alice.join() ^ bob.join()).isTrue();
    }
}
