package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R4 and R6: stripes do not hold each other up. */
class StripedFairnessTest {
    private final OrderRecorder recorder = new OrderRecorder();

    /** A stripe that always has a task more, until it is told to stop. */
    private static final class EndlessStripe implements Runnable {
        private final StripedExecutor executor;
        private final OrderRecorder.Source source;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);

        EndlessStripe(StripedExecutor executor, OrderRecorder recorder) {
            this.executor = executor;
            this.source = recorder.lane(this).source();
            executor.execute(this, this);
            Patience.await(started);
        }

        @Override
        public void run() {
            started.countDown();
            if (stop.get()) {
                ended.countDown();
            } else {
                executor.execute(this, source.next());
                executor.execute(this, this);
            }
        }

        void end() {
            stop.set(true);
            Patience.await(ended);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("an endless stripe for each thread, and the others still get theirs")
    void endlessStripesStarveNobody(int threads) {
        SameKind.assumeTimeSharing();
        StripedExecutor executor = SameKind.exactly(threads).build();
        EndlessStripe[] hot = new EndlessStripe[threads];
        for (int i = 0; i < threads; i++) {
            hot[i] = new EndlessStripe(executor, recorder);
        }
        OrderRecorder.Source[] others = new OrderRecorder.Source[100];
        for (int i = 0; i < others.length; i++) {
            others[i] = recorder.lane(i).source();
        }
        CountDownLatch done = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            executor.execute(i % 100, others[i % 100].next(done::countDown));
        }
        Patience.await(done);
        for (EndlessStripe stripe : hot) {
            stripe.end();
        }
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("on one thread, another stripe waits for one turn, whatever is queued before it")
    void aTurnIsBounded() {
        StripedExecutor executor =
                SameKind.exactly(1).turn(10, Duration.ofDays(1000)).build();
        CountDownLatch submitted = new CountDownLatch(1);
        CountDownLatch otherRan = new CountDownLatch(1);
        AtomicInteger before = new AtomicInteger();
        AtomicInteger ranBeforeOther = new AtomicInteger(-1);
        OrderRecorder.Source busy = recorder.lane("busy").source();
        executor.execute("busy", busy.next(() -> Patience.await(submitted)));
        for (int i = 0; i < 1000; i++) {
            executor.execute("busy", busy.next(before::incrementAndGet));
        }
        executor.execute("other", recorder.lane("other").source().next(() -> {
            ranBeforeOther.set(before.get());
            otherRan.countDown();
        }));
        submitted.countDown();
        // a shutdown has the bin of the busy stripe for a moment; a task that ends then also ends the turn
        Patience.await(otherRan);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(ranBeforeOther.get())
                .as("tasks of the busy stripe before the other's")
                .isBetween(1, 10);
    }

    @Test
    @DisplayName("on one thread, a turn of long tasks is bounded by time")
    void aTurnIsBoundedByTime() {
        StripedExecutor executor =
                SameKind.exactly(1).turn(Integer.MAX_VALUE, Duration.ofNanos(1)).build();
        CountDownLatch submitted = new CountDownLatch(1);
        AtomicInteger before = new AtomicInteger();
        AtomicInteger ranBeforeOther = new AtomicInteger(-1);
        OrderRecorder.Source busy = recorder.lane("busy").source();
        executor.execute("busy", busy.next(() -> Patience.await(submitted)));
        for (int i = 0; i < 1000; i++) {
            executor.execute("busy", busy.next(before::incrementAndGet));
        }
        executor.execute("other", recorder.lane("other").source().next(() -> ranBeforeOther.set(before.get())));
        submitted.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(ranBeforeOther.get())
                .as("tasks of the busy stripe before the other's")
                .isBetween(0, 5);
    }

    @Test
    void turnsOnABorrowedExecutorAreBoundedToo() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .turn(3, Duration.ofDays(1))
                .build();
        OrderRecorder.Source source = recorder.lane("a").source();
        for (int i = 0; i < 7; i++) {
            executor.execute("a", source.next());
        }
        assertThat(stepped.runAll()).as("turns of 3, 3 and 1").isEqualTo(3);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("a blocked stripe with a long queue holds up no other, with one thread left")
    void aBlockedStripeHoldsUpNoOther() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        CountDownLatch release = new CountDownLatch(1);
        OrderRecorder.Source blocked = recorder.lane("blocked").source();
        executor.execute("blocked", blocked.next(() -> Patience.await(release)));
        for (int i = 0; i < 1000; i++) {
            executor.execute("blocked", blocked.next());
        }
        OrderRecorder.Source[] others = new OrderRecorder.Source[50];
        for (int i = 0; i < others.length; i++) {
            others[i] = recorder.lane(i).source();
        }
        CountDownLatch done = new CountDownLatch(5000);
        for (int i = 0; i < 5000; i++) {
            executor.execute(i % 50, others[i % 50].next(done::countDown));
        }
        Patience.await(done);
        release.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("every idle thread takes ready work: n stripes run at once on n threads, again and again")
    void allThreadsWorkAtOnce() {
        int threads = 4;
        int rounds = SameKind.some(2000);
        StripedExecutor executor = SameKind.atLeast(threads).build();
        AtomicInteger met = new AtomicInteger();
        for (int round = 0; round < rounds; round++) {
            CyclicBarrier together = new CyclicBarrier(threads);
            CountDownLatch over = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                executor.execute(round * threads + i, () -> {
                    Patience.meet(together);
                    met.incrementAndGet();
                    over.countDown();
                });
            }
            // in which order tasks of different stripes start is not promised: those of the next round must not come
            // before these
            Patience.await(over);
        }
        Patience.terminate(executor);
        assertThat(met).hasValue(rounds * threads);
    }

    @Test
    @DisplayName("a task that submits and then waits does not keep its successor stripes from other threads")
    void workSubmittedByATaskIsTakenWhileThatTaskGoesOn() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch parents = new CountDownLatch(2000);
        for (int round = 0; round < 2000; round++) {
            executor.execute("parent", () -> {
                CountDownLatch child = new CountDownLatch(1);
                executor.execute("child", child::countDown);
                Patience.await(child);
                ran.incrementAndGet();
                parents.countDown();
            });
        }
        Patience.await(parents);
        Patience.terminate(executor);
        assertThat(ran).hasValue(2000);
        assertThat(executor.inspect().stats().completed()).isEqualTo(4000);
    }

    @Test
    @DisplayName("equals, hashCode and getStripe of one submitter block no other, even of a key in the same bin")
    void keysAreComparedWithoutALock() {
        StripedExecutor executor = SameKind.exactly(1).build();
        CountDownLatch inEquals = new CountDownLatch(1);
        CountDownLatch inGetStripe = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blockerRuns = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        class Key {
            final boolean slow;

            Key(boolean slow) {
                this.slow = slow;
            }

            @Override
            public boolean equals(Object other) {
                if (slow) {
                    inEquals.countDown();
                    Patience.await(release);
                }
                return other == this;
            }

            @Override
            public int hashCode() {
                return 42;
            }
        }
        AtomicInteger ran = new AtomicInteger();
        executor.execute(new Key(false), () -> {
            blockerRuns.countDown();
            Patience.await(done);
            ran.incrementAndGet();
        });
        Patience.await(blockerRuns);
        Thread slowEquals = SameKind.thread(() -> executor.execute(new Key(true), ran::incrementAndGet));
        slowEquals.start();
        Thread slowGetStripe =
                SameKind.thread(() -> executor.asExecutorService().execute(new StripedRunnable() {
                    @Override
                    public Object getStripe() {
                        inGetStripe.countDown();
                        Patience.await(release);
                        return "striped";
                    }

                    @Override
                    public void run() {
                        ran.incrementAndGet();
                    }
                }));
        slowGetStripe.start();
        Patience.await(inEquals);
        Patience.await(inGetStripe);
        CompletableFuture<Integer> sameBin = executor.submit(new Key(false), ran::incrementAndGet);
        executor.execute("another", ran::incrementAndGet);
        executor.inspect().stats();
        executor.inspect().deepestKeys(10);
        executor.isTerminated();
        done.countDown();
        Patience.get(sameBin);
        release.countDown();
        Patience.join(slowEquals);
        Patience.join(slowGetStripe);
        Patience.terminate(executor);
        assertThat(ran).hasValue(5);
    }
}
