package io.orderedexecutor.engine.admit;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.EndlessPatience;
import java.util.List;
import java.util.concurrent.Executor;

/** Engines as the builders make them, for tests that look inside. */
final class Engines {
    private Engines() {}

    /** One with groups as its keys, and no limits. */
    static KeyedEngine groups(Executor executor) {
        return groups(executor, FailurePolicy.proceed(), EndlessPatience.PLATFORM);
    }

    static KeyedEngine groups(Executor executor, FailurePolicy failurePolicy, Platform platform) {
        return engine(
                KeyedEngine.KeyType.GROUP,
                Settings.UNLIMITED,
                Settings.UNLIMITED,
                Overflow.reject(),
                failurePolicy,
                executor,
                platform);
    }

    /** One with stripes as its keys, of which only so many tasks may be queued. */
    static KeyedEngine stripes(Executor executor, int capacity, Overflow overflow, Platform platform) {
        return stripes(executor, capacity, Settings.UNLIMITED, overflow, platform);
    }

    /** As above, and of those with the same stripe only so many. */
    static KeyedEngine stripes(Executor executor, int capacity, int keyCapacity, Overflow overflow, Platform platform) {
        return engine(
                KeyedEngine.KeyType.STRIPE,
                capacity,
                keyCapacity,
                overflow,
                FailurePolicy.proceed(),
                executor,
                platform);
    }

    private static KeyedEngine engine(
            KeyedEngine.KeyType keyType,
            int capacity,
            int keyCapacity,
            Overflow overflow,
            FailurePolicy failurePolicy,
            Executor executor,
            Platform platform) {
        return new KeyedEngine(
                keyType,
                new Settings("bank", capacity, keyCapacity, false, overflow, failurePolicy, List.of(), platform),
                new BorrowedWorkers("bank", executor, Turn.DEFAULT, platform),
                () -> {});
    }
}
