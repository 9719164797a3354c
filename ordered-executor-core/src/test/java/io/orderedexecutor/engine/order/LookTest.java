package io.orderedexecutor.engine.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What looks at all orders lets go of a bin after some of them, and yet visits each once. */
class LookTest {
    private static final int STAYING = 200;

    private final Orders orders = new Orders(new Platform(), new EnterAloneTest.Nowhere(), "the test", false);

    private final Set<Integer> open = new HashSet<>();
    private final Set<Integer> stayed = new HashSet<>();

    /** So many keys of one bin. */
    private static List<Integer> keys(int count) {
        return IntStream.iterate(0, key -> key + 1)
                .filter(key -> Orders.binOf(Orders.spread(key)) == 0)
                .limit(count)
                .boxed()
                .toList();
    }

    /** A key that is paused has an order. */
    private void setOpen(int key, boolean opens) {
        if (opens) {
            orders.pause(key);
            open.add(key);
        } else {
            orders.resume(key);
            open.remove(key);
            stayed.remove(key);
        }
    }

    @ParameterizedTest
    @DisplayName("an order that stays is visited once, no other one twice, and a few at a time")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void once(long seed) {
        Random random = new Random(seed);
        List<Integer> keys = keys(4_000);
        keys.forEach(key -> setOpen(key, true));
        Bin bin = orders.new Search(keys.get(0)).bin();
        stayed.addAll(open);
        List<Integer> visited = new ArrayList<>();
        long at = 0;
        int calls = 0;
        while (at < Bin.END) {
            long from = at;
            List<Integer> some = new ArrayList<>();
            at = orders.under(bin, () -> bin.forSomeOrders(from, 64, order -> some.add((Integer) order.key)));
            assertThat(some).as("seed=%s", seed).hasSizeLessThan(100);
            visited.addAll(some);
            // the chains shrink, and grow again
            boolean opens = calls++ / 4 % 2 == 1;
            for (int i = 0; i < 4_000; i++) {
                setOpen(keys.get(random.nextInt(STAYING, keys.size())), opens);
            }
        }
        assertThat(visited).as("seed=%s", seed).doesNotHaveDuplicates().containsAll(stayed);
        assertThat(calls).as("seed=%s", seed).isGreaterThan(8);
        assertThat(stayed).as("seed=%s", seed).hasSizeGreaterThanOrEqualTo(STAYING);
    }
}
