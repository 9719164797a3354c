package io.orderedexecutor.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.order.Grants;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** R8: the sum of what was given back is exact, and so are capacities; a wait for room ends when there is room. */
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

    private final Room.Shared room = roomOn(Platform.JDK);

    /** Counted before and after each increment, by one counter that all share. */
    private final AtomicLong begun = new AtomicLong();

    private final AtomicLong ended = new AtomicLong();

    /** Has room for one task. */
    private static Room.Shared roomOn(Platform platform) {
        return new Room.Shared(new Rooms("the test", new Orders(platform, NOWHERE, "the test", false), 1, 1), 1, 8);
    }

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

    @Test
    @DisplayName("a submission that gets room while it prepares to wait does not park, though its wake-up is used up")
    void wakeUpUsedUp() throws InterruptedException {
        Room.Shared full = roomOn(new Platform() {
            @Override
            public void parkNanos(Object blocker, long nanos) {
                throw new AssertionError("parked with room");
            }
        });
        assertThat(full.tryTake()).isZero();

        boolean hasRoom = full.take(Long.MAX_VALUE, () -> {
            assertThat(full.isAwaited()).isTrue();
            full.giveBack();
            // returns at once: the thread has been unparked for the room that it was given
            LockSupport.parkNanos(Duration.ofSeconds(30).toNanos());
            return true;
        });

        assertThat(hasRoom).isTrue();
        assertThat(full.isAwaited()).isFalse();
        assertThat(full.tryTake()).isEqualTo(Room.NONE);
        full.giveBack();
        assertThat(full.tryTake()).isZero();
    }

    @Test
    @DisplayName("if the preparation of a wait fails, nothing waits any more, and room that came is free again")
    void preparationThatFails() {
        assertThat(room.tryTake()).isZero();

        assertThatThrownBy(() -> room.take(Long.MAX_VALUE, () -> {
                    room.giveBack();
                    throw new ThrownOnPurpose();
                }))
                .isInstanceOf(ThrownOnPurpose.class);

        assertThat(room.isAwaited()).isFalse();
        assertThat(room.tryTake()).isZero();
        assertThatThrownBy(() -> room.take(Long.MAX_VALUE, () -> {
                    throw new ThrownOnPurpose();
                }))
                .isInstanceOf(ThrownOnPurpose.class);
        assertThat(room.isAwaited()).isFalse();
        room.giveBack();
        assertThat(room.tryTake()).isZero();
    }
}
