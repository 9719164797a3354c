package io.orderedexecutor.engine.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** In which order a thread sees to what it has granted. */
class GrantsTest {
    private final Orders orders = new Orders(new Platform(), new EnterAloneTest.Nowhere(), "the test", false);

    private final class Granted extends Place.Shared {
        private final boolean isOver;

        Granted(boolean isOver) {
            super("work", orders, "key", 0);
            this.isOver = isOver;
        }

        @Override
        public boolean isOverWhenGranted() {
            return isOver;
        }

        @Override
        public void run() {}
    }

    private static void assertPolled(@Nullable Grants grants, List<Place> ready, List<Place> over) {
        assertThat(grants).isNotNull();
        List<Place> polled = new ArrayList<>();
        for (Place place = grants.poll(); place != null; place = grants.poll()) {
            polled.add(place);
        }
        assertThat(polled).isEqualTo(ready);
        polled.clear();
        Grants rest = grants.onlyOver();
        assertThat(rest).isNotNull();
        for (Place place = rest.pollOver(); place != null; place = rest.pollOver()) {
            polled.add(place);
        }
        assertThat(polled).isEqualTo(over);
        assertThat(rest.onlyOver()).isNull();
    }

    @Test
    @DisplayName("what tells somebody that it is over is kept apart from what waits for a thread")
    void whatIsOverIsKeptApart() {
        Place flush = new Granted(true);
        Place other = new Granted(true);
        Place task = new Granted(false);
        Place last = new Granted(false);
        Bin bin = orders.new Search("key").bin();
        bin.take();
        List.of(flush, task, other, last).forEach(bin::grant);
        assertThat(bin.takeFirstGranted()).isSameAs(task);
        assertPolled(bin.release(), List.of(last), List.of(flush, other));
    }

    @Test
    @DisplayName("also if the grants of several bins are seen to together")
    void merged() {
        Place flush = new Granted(true);
        Place task = new Granted(false);
        Place other = new Granted(true);
        assertPolled(
                Grants.merged(Grants.merged(Grants.of(flush), Grants.of(task)), Grants.of(other)),
                List.of(task),
                List.of(flush, other));
    }
}
