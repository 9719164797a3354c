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

    private static List<Place> polled(@Nullable Grants grants) {
        List<Place> polled = new ArrayList<>();
        for (Place place = grants == null ? null : grants.poll(); place != null; place = grants.poll()) {
            polled.add(place);
        }
        return polled;
    }

    @Test
    @DisplayName("what tells somebody that it is over comes after all that waits for a thread")
    void whatIsOverComesLast() {
        Place flush = new Granted(true);
        Place other = new Granted(true);
        Place task = new Granted(false);
        Place last = new Granted(false);
        Bin bin = orders.new Search("key").bin();
        bin.take();
        List.of(flush, task, other, last).forEach(bin::grant);
        assertThat(bin.takeFirstGranted()).isSameAs(task);
        assertThat(polled(bin.release())).containsExactly(last, flush, other);
    }

    @Test
    @DisplayName("also if the grants of several bins are seen to together")
    void merged() {
        Place flush = new Granted(true);
        Place task = new Granted(false);
        assertThat(polled(Grants.merged(Grants.of(flush), Grants.of(task)))).containsExactly(task, flush);
    }
}
