package io.orderedexecutor.sample.migrating;

import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LocksAndHashingTest {
    private final Ledger ledger = new Ledger();

    @Test
    void aLockForEachKey() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        Map<String, Object> locks = new ConcurrentHashMap<>();
        Ledger.sendAll((account, number) -> {
            // before: one at a time, but in no order
            pool.execute(() -> {
                synchronized (locks.computeIfAbsent(account, key -> new Object())) {
                    ledger.book(account, number);
                }
            });
        });
        Pools.end(pool);

        ledger.assertEachEventOnce();
    }

    @Test
    void aThreadForEachHash() throws Exception {
        List<ExecutorService> threads =
                Stream.generate(Executors::newSingleThreadExecutor).limit(4).toList();
        Ledger.sendAll((account, number) -> {
            // before: in order, but behind all accounts with the same remainder
            int thread = Math.floorMod(account.hashCode(), threads.size());
            threads.get(thread).execute(() -> ledger.book(account, number));
        });
        for (ExecutorService thread : threads) {
            Pools.end(thread);
        }

        ledger.assertEachEventOnceInOrder();
    }

    @Test
    void stripes() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            Ledger.sendAll((account, number) -> {
                // after
                executor.execute(account, () -> ledger.book(account, number));
            });
        }

        ledger.assertEachEventOnceInOrder();
    }
}
