package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.KeyHashes;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.LiveStrands;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.striped.Stripe;
import io.orderedexecutor.engine.striped.StripeTable;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.Explanation;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Submissions and the room for them, at the instructions where a thread may stop. */
class LimitsTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger tries = new AtomicInteger();

    private static final class Hashes implements KeyHashes<IntFunction<? extends @Nullable LimitedKey>> {
        @Override
        public Set<Integer> of(IntFunction<? extends @Nullable LimitedKey> target, int hash) {
            return Set.of(hash);
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand strand) {
            return Set.of(((Stripe) strand).hash);
        }
    }

    /** An engine whose tasks are placed by what they are submitted to. */
    private final class EngineOfTest extends Engine<IntFunction<? extends @Nullable LimitedKey>> {
        EngineOfTest(Settings settings) {
            super(
                    "test",
                    settings,
                    new BorrowedWorkers(stepped, Turn.DEFAULT, Platform.JDK),
                    new LiveStrands(new StripeTable()),
                    new Hashes(),
                    () -> {});
        }

        @Override
        public LimitedKey place(
                IntFunction<? extends @Nullable LimitedKey> target, int hash, Runnable task, int keyCapacity) {
            return target.apply(keyCapacity);
        }

        @Override
        public boolean dropOldest(IntFunction<? extends @Nullable LimitedKey> target, int hash) {
            throw new AssertionError("the executor is not full");
        }

        @Override
        public String keyType() {
            return "key";
        }

        @Override
        public Explanation explain(Object key, boolean stacks) {
            throw new AssertionError("nothing is to be explained");
        }
    }

    private EngineOfTest engine(Overflow overflow) {
        return new EngineOfTest(
                new Settings("till", 1, 1, false, overflow, FailurePolicy.proceed(), List.of(), Platform.JDK));
    }

    private static void admit(EngineOfTest engine, int hash, IntFunction<? extends @Nullable LimitedKey> place) {
        engine.accept("a", place, hash, () -> {}, null);
    }

    private static Stripe stripe() {
        StripedExecutor executor =
                StripedExecutor.builder().name("till").executor(step -> {}).build();
        return new Stripe(executor.engine(), "a", 1, new Link(null));
    }

    @Test
    @DisplayName("a full stripe that has ended, or whose tasks have all started, before the oldest could be "
            + "dropped has room")
    void theFullStripeHasNothingToDrop() {
        EngineOfTest engine = engine(Overflow.discardOldest());
        Stripe full = stripe();
        admit(engine, 1, capacity -> tries.incrementAndGet() == 1 ? full : null);
        assertThat(tries).hasValue(2);
        assertThat(engine.cancelled()).isZero();
    }

    @Test
    @DisplayName("a submission that is not placed gives its permit back, whatever the reason")
    void permitsOfSubmissionsThatWereNotPlaced() {
        EngineOfTest engine = engine(Overflow.reject());
        Stripe full = stripe();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> admit(engine, 1, capacity -> full))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll("stripe a", "till", "1 queued");
            assertThatThrownBy(() -> admit(engine, 1, capacity -> {
                        throw new ThrownOnPurpose();
                    }))
                    .isInstanceOf(ThrownOnPurpose.class);
        }
        admit(engine, 1, capacity -> {
            tries.incrementAndGet();
            return null;
        });
        assertThat(tries).hasValue(1);
    }

    @Test
    @DisplayName("a permit that was taken in vain calls who found none in the meantime")
    void aPermitThatWasTakenInVain() {
        EngineOfTest engine = engine(Overflow.block(Duration.ofSeconds(Patience.SECONDS)));
        Stripe full = stripe();
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread inVain = new Thread(() -> admit(engine, 1, capacity -> {
            if (tries.getAndIncrement() > 0) {
                return null;
            }
            taken.countDown();
            Patience.await(goOn);
            return full;
        }));
        inVain.setDaemon(true);
        inVain.start();
        Patience.await(taken);
        AtomicInteger placed = new AtomicInteger();
        Thread waiting = new Thread(() -> admit(engine, 2, capacity -> {
            placed.incrementAndGet();
            return null;
        }));
        waiting.setDaemon(true);
        waiting.start();
        Patience.awaitParked(waiting);
        goOn.countDown();
        Patience.join(waiting);
        assertThat(placed).hasValue(1);
        assertThat(StrandControl.dropOldest(new Stripe(engine, "a", 1, new Link(() -> {}))))
                .isTrue();
        Patience.join(inVain);
        assertThat(tries.get()).isGreaterThan(1);
    }
}
