package io.orderedexecutor.engine.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Places that stand in orders of their own, and are listed under one bin. */
class EnterAloneTest {
    private static final int PLACES = 1_000;

    static final class Nowhere implements Orders.Sink {
        @Override
        public void seeTo(Grants grants) {}

        @Override
        public Throwable entered(Place place, Object own, boolean granted) {
            return null;
        }
    }

    private static final class Alone extends Many {
        Alone(Orders orders) {
            super("work", orders, "target", 0, 1, 0, 0);
        }

        @Override
        public void run() {}
    }

    @Test
    @DisplayName("all orders are in the first bin, and not in one chain, which each that closes would walk")
    void chains() {
        Orders orders = new Orders(new Platform(), new Nowhere(), "the test", false);
        Set<Integer> hashes = new HashSet<>();
        int[] listed = {0};
        for (int i = 0; i < PLACES; i++) {
            Alone place = new Alone(orders);
            assertThat(orders.enterAlone(place, () -> listed[0]++)).isTrue();
            assertThat(place.step(0).order().bin.index).isZero();
            hashes.add(place.step(0).order().hash);
        }
        assertThat(listed[0]).isEqualTo(PLACES);
        assertThat(hashes).hasSizeGreaterThan(PLACES - 10);
    }
}
