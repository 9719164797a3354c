package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends what JDK 17 cannot close. */
final class Pools {
    private Pools() {}

    static void end(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
}
