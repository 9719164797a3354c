package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.run.Served;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a list of queued tasks does while tasks in slots are replaced, which changes the ages of their places. */
class PlacesByAgeTest {
    private final Orders orders = Engines.groups(Runnable::run).service().orders();

    /** A place that is replaced whenever the one that sorts looks at it. */
    private final class Changing extends Place implements Served {
        private final SplittableRandom random;

        Changing(SplittableRandom random) {
            super(new Object(), PlacesByAgeTest.this.orders);
            this.random = random;
        }

        @Override
        public long queuedAt() {
            return random.nextLong(3);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void agesThatChangeWhileTheyAreSortedFailNothing(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            places.add(new Changing(random));
        }
        assertThat(KeyedEngine.byAge(places)).hasSameSizeAs(places).doesNotHaveDuplicates();
    }
}
