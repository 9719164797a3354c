package io.orderedexecutor.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.order.Grants;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the sum of what was given back can be relied upon for: capacities are exact because of it. */
@Tag("no-second-try")
class RoomTest {
    private static final int THREADS = 12;
    private static final int COUNTS = 20_000;

    /** No place enters. */
    private static final Orders.Sink NOWHERE = new Orders.Sink() {
        @Override
        public void seeTo(Grants grants) {}

        @Override
        public Throwable entered(Place place, Object own, boolean granted) {
            throw new AssertionError();
        }
    };

    private final Room.Shared room =
            new Room.Shared(new Rooms("the test", new Orders(Platform.JDK, NOWHERE, "the test", false), 1, 1), 1, 8);

    /** Counted before and after each increment, by one counter that all share. */
    private final AtomicLong begun = new AtomicLong();

    private final AtomicLong ended = new AtomicLong();

    private void countAndLook(CyclicBarrier start) {
        Patience.meet(start);
        for (int i = 0; i < COUNTS; i++) {
            begun.incrementAndGet();
            room.giveBack();
            ended.incrementAndGet();
            if (i % 16 == 0) {
                long atLeast = ended.get();
                long sum = room.givenBack();
                assertThat(sum).isBetween(atLeast, begun.get());
            }
        }
    }

    @Test
    @DisplayName(
            "a sum is at least what it was before, and at most what it is afterwards, whatever other threads count")
    void sumsAreBetween() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                done.add(threads.submit(() -> countAndLook(start)));
            }
            done.forEach(Patience::get);
            assertThat(room.givenBack()).isEqualTo((long) THREADS * COUNTS);
        } finally {
            threads.shutdownNow();
        }
    }
}
