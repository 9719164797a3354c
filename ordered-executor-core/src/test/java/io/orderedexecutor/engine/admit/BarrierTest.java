package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R4: what a barrier has held up is handed over by the thread that ends it. */
class BarrierTest {

    @Test
    @DisplayName("a thread that has a key when a barrier ends there hands over nothing of what the barrier has held up")
    void whoHasABinHandsOverNothing() {
        SteppedExecutor stepped = new SteppedExecutor();
        List<Thread> handsOver = new CopyOnWriteArrayList<>();
        KeyedEngine engine = Engines.groups(work -> {
            handsOver.add(Thread.currentThread());
            stepped.execute(work);
        });
        AtomicInteger ran = new AtomicInteger();
        engine.submit(Groups.all(), ran::incrementAndGet, null);
        for (int i = 0; i < 20; i++) {
            engine.submit(Groups.shared("key"), ran::incrementAndGet, null);
        }
        handsOver.clear();
        Order order = engine.orderOf("key");
        order.bin().take();
        Thread worker = new Thread(stepped::runAll, "worker");
        worker.start();
        Patience.awaitParked(worker);
        engine.orders.letGo(order.bin());
        Patience.join(worker);
        stepped.runAll();
        assertThat(ran).hasValue(21);
        assertThat(handsOver).isNotEmpty().containsOnly(worker);
    }
}
