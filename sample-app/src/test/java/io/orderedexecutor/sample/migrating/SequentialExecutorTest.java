package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.MoreExecutors;
import io.orderedexecutor.SerialExecutor;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SequentialExecutorTest {
    private final Ledger ledger = new Ledger();

    @Test
    void guava() throws Exception {
        // before
        assertOrder(pool -> MoreExecutors.newSequentialExecutor(pool));
    }

    @Test
    void serial() throws Exception {
        // after
        assertOrder(pool -> new SerialExecutor(pool));
    }

    /** A sequence for each account, and a pool for all of them. */
    private void assertOrder(UnaryOperator<Executor> sequence) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        Map<String, Executor> sequences = new HashMap<>();
        CountDownLatch booked = new CountDownLatch(Ledger.ACCOUNTS.size() * Ledger.EVENTS);
        Ledger.sendAll((account, number) -> sequences
                .computeIfAbsent(account, key -> sequence.apply(pool))
                .execute(() -> {
                    ledger.book(account, number);
                    booked.countDown();
                }));
        assertThat(booked.await(30, TimeUnit.SECONDS)).isTrue();
        Pools.end(pool);

        ledger.assertEachEventOnceInOrder();
    }
}
