package io.orderedexecutor.sample;

import org.springframework.stereotype.Component;

/**
 * Counts coins, a millisecond each. It stands for whatever takes its time in a real application, a database or another
 * system, and so sleeps: the length depends on the event, and a large event can be overtaken by a small one.
 */
@Component
class CoinCounter {

    void count(int coins) throws InterruptedException {
        Thread.sleep(coins);
    }
}
