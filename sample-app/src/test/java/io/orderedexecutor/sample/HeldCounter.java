package io.orderedexecutor.sample;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Counts quickly, but each number of coins at another speed; and holds those of {@link #HELD} until it is told. */
class HeldCounter extends CoinCounter {
    static final int HELD = 1000;

    /** All numbers of coins whose counting has begun. */
    final Queue<Integer> begun = new ConcurrentLinkedQueue<>();

    private volatile CountDownLatch gate = new CountDownLatch(0);

    @Override
    void count(int coins) throws InterruptedException {
        begun.add(coins);
        if (coins == HELD) {
            gate.await();
        } else {
            LockSupport.parkNanos(coins % 7 * 50_000L);
        }
    }

    void close() {
        begun.clear();
        gate = new CountDownLatch(1);
    }

    void open() {
        gate.countDown();
    }
}
