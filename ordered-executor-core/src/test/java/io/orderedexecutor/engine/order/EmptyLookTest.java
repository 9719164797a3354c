package io.orderedexecutor.engine.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.EndlessPatience;
import io.orderedexecutor.fixtures.Patience;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R11: an executor is idle only if no task was there at one moment. */
@Timeout(120)
class EmptyLookTest {
    private final Orders orders = new Orders(EndlessPatience.PLATFORM, new EnterAloneTest.Nowhere(), "the test", false);

    private final class Task extends Place.Shared {
        Task() {
            super("work", orders, "key", 0);
        }

        @Override
        public void run() {}
    }

    /** The order of a key in a bin. It is paused, so it stays open without a place. */
    private Order openOrder(int bin) {
        Integer key = IntStream.iterate(0, any -> any + 1)
                .filter(any -> Orders.binOf(Orders.spread(any)) == bin)
                .findFirst()
                .orElseThrow();
        orders.pause(key);
        return orders.find(key);
    }

    private Task entered(Order order) {
        Task task = new Task();
        order.bin.enter(order, task);
        return task;
    }

    @Test
    @DisplayName("a look misses no task although it is always where the look is not")
    void tasksThatMove() throws InterruptedException {
        Order low = openOrder(0);
        Order high = openOrder(63);
        high.bin.take();
        Task inHigh = entered(high);
        FutureTask<Boolean> look = new FutureTask<>(orders::isEmpty);
        Thread looker = new Thread(look, "looker");
        looker.start();
        // it has seen the low bin for the first time
        Patience.awaitParked(looker);
        low.bin.take();
        Task inLow = entered(low);
        high.bin.leave(inHigh);
        orders.letGo(high.bin);
        // the looker gets the high bin before this thread, then waits for the low one
        high.bin.take();
        Patience.awaitParked(looker);
        inHigh = entered(high);
        low.bin.leave(inLow);
        orders.letGo(low.bin);
        low.bin.take();
        Patience.awaitParked(looker);
        entered(low);
        high.bin.leave(inHigh);
        orders.letGo(high.bin);
        Patience.join(looker);
        orders.letGo(low.bin);
        assertThat(Patience.get(look)).isFalse();
    }
}
