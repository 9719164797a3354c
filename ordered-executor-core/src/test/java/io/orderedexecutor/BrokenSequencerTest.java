package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R5: an Error that strikes inside a sequencer breaks it, whichever thread runs the output. */
class BrokenSequencerTest {
    private final SteppedExecutor executor = new SteppedExecutor();
    private final StackOverflowError error = new StackOverflowError("in the test");
    private final AtomicInteger runs = new AtomicInteger();
    private final BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((any, failure) -> told.add(failure));

    /** The thread for which the clock fails once; null for none. */
    private volatile @Nullable Thread struck;

    private final Platform platform = new Platform() {
        @Override
        public long nanoTime() {
            if (struck == Thread.currentThread()) {
                struck = null;
                throw error;
            }
            return super.nanoTime();
        }

        @Override
        public Runnable scheduleAsync(long nanos, Runnable action) {
            return () -> {};
        }
    };

    private final TicketSequencer sequencer = TicketSequencer.builder()
            .window(3)
            .executor(executor)
            .platform(platform)
            .lease(Duration.ofDays(1))
            .turn(1, Duration.ofDays(1))
            .build();
    private final Reservation first = sequencer.tryNext();
    private final Reservation second = sequencer.tryNext();
    private final Reservation third = sequencer.tryNext();

    /** Breaks the clock for the calling thread. With a lease, the clock is read when the turn passes to a ticket. */
    private void strike() {
        runs.getAndIncrement();
        struck = Thread.currentThread();
    }

    private void assertBroken(int ran) throws InterruptedException {
        assertThat(runs).hasValue(ran);
        assertThat(struck).isNull();
        assertThatThrownBy(sequencer::tryNext)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is broken")
                .cause()
                .isSameAs(error);
        Throwable next;
        do {
            next = told.poll(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(next).as("the report that it is broken").isNotNull();
        } while (!(next instanceof IllegalStateException) || next.getCause() != error);
        third.close();
    }

    @Test
    @DisplayName("the caller that has brought the output")
    void theCaller() throws InterruptedException {
        assertThatThrownBy(() -> first.execute(this::strike)).isSameAs(error);
        assertBroken(1);
    }

    @Test
    @DisplayName("a thread of the executor, to which a caller has passed the output on")
    void aThreadOfTheExecutor() throws InterruptedException {
        second.execute(this::strike);
        first.execute(runs::getAndIncrement);
        assertThat(runs).hasValue(1);
        assertThatThrownBy(executor::runAll).isSameAs(error);
        assertBroken(2);
    }

    @Test
    @DisplayName("a thread that waits for a ticket, to which a caller has passed the output on")
    void aThreadThatWaits() throws InterruptedException {
        // it gets the room that the first ticket leaves, so the waiter gets none
        CompletableFuture<Reservation> ahead = sequencer.nextAsync();
        FutureTask<Reservation> waiting = new FutureTask<>(sequencer::next);
        Thread waiter = new Thread(waiting, "waiter");
        waiter.start();
        Patience.awaitParked(waiter);
        second.execute(this::strike);
        first.execute(runs::getAndIncrement);
        Patience.join(waiter);
        assertThatThrownBy(waiting::get).cause().isSameAs(error);
        assertThat(ahead).isCompleted();
        assertBroken(2);
    }
}
