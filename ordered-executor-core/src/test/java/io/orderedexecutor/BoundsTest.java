package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Submissions and the room for them, at the instructions where a thread may stop. */
class BoundsTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger tries = new AtomicInteger();

    private StripedExecutor executor(Overflow overflow) {
        return StripedExecutor.builder()
                .name("till")
                .executor(stepped)
                .capacity(1)
                .stripeCapacity(1)
                .overflow(overflow)
                .build();
    }

    private static Bounds bounds(StripedExecutor executor) {
        return executor.engine().requireBounds("capacity");
    }

    private static Stripe stripe(StripedExecutor executor) {
        return new Stripe(executor.engine(), "a", 1, new Link(null));
    }

    private static Submission submission(int keyHash, IntFunction<? extends @Nullable KeyQueue> place) {
        return new Submission() {
            @Override
            public Object key() {
                return "a";
            }

            @Override
            public Set<Integer> keyHashes() {
                return Set.of(keyHash);
            }

            @Override
            public Runnable task() {
                return () -> {};
            }

            @Override
            public @Nullable KeyQueue place(int keyCapacity) {
                return place.apply(keyCapacity);
            }

            @Override
            public boolean dropOldest() {
                throw new AssertionError("the executor is not full");
            }
        };
    }

    @Test
    @DisplayName("R8: a full stripe that has ended, or whose tasks have all started, before the oldest could be "
            + "dropped has room")
    void theFullStripeHasNothingToDrop() {
        StripedExecutor executor = executor(Overflow.discardOldest());
        Stripe full = stripe(executor);
        bounds(executor).admit(submission(1, capacity -> tries.incrementAndGet() == 1 ? full : null));
        assertThat(tries).hasValue(2);
        assertThat(executor.stats().cancelled()).isZero();
    }

    @Test
    @DisplayName("R8: a submission that is not placed gives its permit back, whatever the reason")
    void permitsOfSubmissionsThatWereNotPlaced() {
        StripedExecutor executor = executor(Overflow.reject());
        Stripe full = stripe(executor);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> bounds(executor).admit(submission(1, capacity -> full)))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll("stripe a", "till", "1 queued");
            assertThatThrownBy(() -> bounds(executor).admit(submission(1, capacity -> {
                        throw new ThrownOnPurpose();
                    })))
                    .isInstanceOf(ThrownOnPurpose.class);
        }
        executor.execute("a", tries::incrementAndGet);
        stepped.runAll();
        assertThat(tries).hasValue(1);
    }

    @Test
    @DisplayName("R4, R8: a permit that was taken in vain calls who found none in the meantime")
    void aPermitThatWasTakenInVain() {
        StripedExecutor executor = executor(Overflow.block(Duration.ofSeconds(Patience.SECONDS)));
        Stripe full = stripe(executor);
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread inVain = new Thread(() -> bounds(executor).admit(submission(1, capacity -> {
            if (tries.getAndIncrement() > 0) {
                return null;
            }
            taken.countDown();
            Patience.await(goOn);
            return full;
        })));
        inVain.setDaemon(true);
        inVain.start();
        Patience.await(taken);
        AtomicInteger placed = new AtomicInteger();
        Thread waiting = new Thread(() -> bounds(executor).admit(submission(2, capacity -> {
            placed.incrementAndGet();
            return null;
        })));
        waiting.setDaemon(true);
        waiting.start();
        Patience.awaitParked(waiting);
        goOn.countDown();
        Patience.join(waiting);
        assertThat(placed).hasValue(1);
        bounds(executor).release(stripe(executor));
        Patience.join(inVain);
        assertThat(tries.get()).isGreaterThan(1);
    }
}
