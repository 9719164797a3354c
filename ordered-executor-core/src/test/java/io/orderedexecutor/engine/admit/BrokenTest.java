package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Groups;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.run.RunInside;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.EndlessPatience;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R5: an Error that strikes inside an executor is told, and nobody waits for ever for what it has left half done. */
// in a thread of its own, since none that waits for a bin ends at an interrupt
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BrokenTest {
    private static final String KEY = "broken";

    /** A key in a bin that is taken before that of the other. */
    private static final String OTHER = IntStream.range(0, 1_000)
            .mapToObj(Integer::toString)
            .filter(key -> KeyedEngine.binOf(key) < KeyedEngine.binOf(KEY))
            .findFirst()
            .orElseThrow();

    /** Threads that wait lose their patience soon. */
    private static final Platform IMPATIENT = new Platform() {
        @Override
        public long patienceNanos() {
            return TimeUnit.MILLISECONDS.toNanos(20);
        }
    };

    private final StackOverflowError error = new StackOverflowError("in the test");
    private final SteppedExecutor stepped = new SteppedExecutor();
    private KeyedEngine engine = engine(IMPATIENT);
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

    private KeyedEngine engine(Platform platform) {
        return Engines.stripes(stepped, 2, Overflow.block(Duration.ofDays(1)), platform);
    }

    /** Threads that wait do so until they are woken: they pass what an Error has struck, and nothing else. */
    private void waitPatiently() {
        engine = engine(EndlessPatience.PLATFORM);
    }

    private void submit(String key) {
        engine.submit(key, () -> ran.add(key), null);
    }

    private final BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((any, failure) -> told.add(failure));

    private static Thread start(Runnable action) {
        Thread thread = new Thread(action, "caller");
        thread.start();
        return thread;
    }

    /** An Error strikes where the bin of the key is taken, so it stays taken. */
    private void breakBin() {
        Order order = engine.orderOf(KEY);
        assertThatThrownBy(() -> engine.orders.under(order.bin(), () -> {
                    throw error;
                }))
                .isSameAs(error);
    }

    private void assertTold() throws InterruptedException {
        assertThat(told.poll(Patience.SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("striped executor 'bank' is broken")
                .hasCause(error);
    }

    @Test
    @DisplayName("submissions are rejected with the Error as their cause, and the handler is told once")
    void submissionsAreRejected() throws InterruptedException {
        submit(KEY);
        breakBin();
        for (int times = 0; times < 2; times++) {
            assertThatThrownBy(() -> submit(OTHER))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("is broken")
                    .hasCause(error);
            if (times == 0) {
                assertTold();
            }
        }
        engine.service().shutdown();
        assertThat(told).isEmpty();
        assertThat(engine.stats().rejected()).isEqualTo(2);
    }

    @Test
    @DisplayName("other keys go on, and looks leave out what nobody can see any more")
    void othersGoOn() throws InterruptedException {
        waitPatiently();
        submit(KEY);
        submit(OTHER);
        breakBin();
        assertThat(engine.stats().queued()).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> engine.snapshot(KEY))
                .withMessageContaining("is broken")
                .withCause(error);
        stepped.runAll();
        assertThat(ran).containsExactlyInAnyOrder(KEY, OTHER);
        assertThat(engine.stats().completed()).isEqualTo(2);
        // by the thread that was done with its turn
        assertTold();
    }

    @Test
    @DisplayName("a submitter that waits for room gets the rejection, too")
    void whoWaitsForRoomGoes() throws InterruptedException {
        submit(KEY);
        submit(OTHER);
        FutureTask<Void> waiting = new FutureTask<>(() -> submit(OTHER), null);
        Thread submitter = start(waiting);
        Patience.awaitParked(submitter);
        breakBin();
        Patience.join(submitter);
        assertThatThrownBy(waiting::get).hasRootCause(error).cause().isInstanceOf(RejectedExecutionException.class);
        assertTold();
    }

    @Test
    @DisplayName("close and awaitTermination return, though it never terminates")
    void waitsEnd() throws InterruptedException {
        submit(KEY);
        Thread closer = start(engine.service()::closeAndWait);
        Patience.awaitParked(closer);
        breakBin();
        Patience.join(closer);
        assertThat(engine.service().lifecycle().awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isFalse();
        assertThat(engine.service().lifecycle().isTerminated()).isFalse();
        assertTold();
    }

    @Test
    @DisplayName("who waits until it is idle does so up to the limit, since other keys go on")
    void awaitsIdleUpToTheLimit() throws InterruptedException {
        submit(KEY);
        FutureTask<Boolean> waiting = new FutureTask<>(() -> engine.service().drain(Duration.ofDays(1)));
        Thread waiter = start(waiting);
        Patience.awaitParked(waiter);
        breakBin();
        // by the thread that waits
        assertTold();
        assertThat(waiting.isDone()).isFalse();
        stepped.runAll();
        assertThat(engine.awaitIdle(KEY, Duration.ofMillis(50))).isFalse();
        assertThat(engine.awaitIdle(OTHER, Duration.ofSeconds(Patience.SECONDS)))
                .isTrue();
        assertThat(engine.service().drain(Duration.ofMillis(50))).isFalse();
        waiter.interrupt();
        Patience.join(waiter);
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    @DisplayName("a thread that gives up its wait for a key does not get it later, and stays interrupted")
    void whoGivesUpGetsNothing() throws InterruptedException {
        submit(KEY);
        Order order = engine.orderOf(KEY);
        order.bin().take();
        boolean[] wasInterrupted = new boolean[1];
        FutureTask<Boolean> looking = new FutureTask<>(() -> {
            try {
                return engine.isPaused(KEY);
            } finally {
                wasInterrupted[0] = Thread.interrupted();
            }
        });
        Thread looker = start(looking);
        Patience.awaitParked(looker);
        looker.interrupt();
        engine.orders.setBroken(error);
        Patience.join(looker);
        assertThatThrownBy(looking::get).hasRootCause(error).cause().isInstanceOf(IllegalStateException.class);
        assertThat(wasInterrupted[0]).isTrue();
        engine.orders.letGo(order.bin());
        assertThat(engine.snapshot(KEY)).isNotNull();
    }

    enum Ending {
        SHUTDOWN_NOW,
        CLOSE,
        AWAIT_TERMINATION,
        STATS
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a thread that waits for a key when its executor breaks gets past it")
    void whoWaitsGetsPast(Ending ending) {
        submit(KEY);
        submit(OTHER);
        Order order = engine.orderOf(KEY);
        order.bin().take();
        FutureTask<Integer> waiting = new FutureTask<>(() -> switch (ending) {
            case SHUTDOWN_NOW -> engine.service().shutdownNow().size();
            case CLOSE -> {
                engine.service().closeAndWait();
                yield 1;
            }
            case AWAIT_TERMINATION -> engine.service().lifecycle().awaitTermination(1, TimeUnit.DAYS) ? 0 : 1;
            case STATS -> (int) engine.stats().queued();
        });
        Thread waiter = start(waiting);
        Patience.awaitParked(waiter);
        engine.orders.setBroken(error);
        Patience.join(waiter);
        assertThat(Patience.get(waiting)).isEqualTo(1);
    }

    @Test
    @DisplayName("a task of two keys that gives up its wait for one lets go of the other")
    void whoGivesUpKeepsNothing() throws InterruptedException {
        submit(KEY);
        submit(OTHER);
        Order order = engine.orderOf(KEY);
        stepped.runAll();
        order.bin().take();
        FutureTask<Void> waiting =
                new FutureTask<>(() -> engine.submit(Groups.exclusive(KEY, OTHER), () -> ran.add("both"), null), null);
        Thread submitter = start(waiting);
        Patience.awaitParked(submitter);
        engine.orders.setBroken(error);
        Patience.join(submitter);
        assertThatThrownBy(waiting::get).hasRootCause(error);
        assertThat(engine.snapshot(OTHER)).isNull();
        assertThat(ran).containsExactlyInAnyOrder(KEY, OTHER);
    }

    @Test
    @DisplayName("a thread that comes to grant readers tells it, as one does that serves a task")
    void whoGrantsTells() throws InterruptedException {
        submit(KEY);
        engine.orders.setBroken(error);
        RunInside.granting(engine.service(), engine.orderOf(KEY)).run();
        assertTold();
    }

    @Test
    @DisplayName("a look that throws lets go of what it looks at")
    void looksThatThrow() {
        submit(KEY);
        engine.orders.setBroken(error);
        IllegalArgumentException refused = new IllegalArgumentException("in the test");
        assertThatThrownBy(() -> engine.orders.forEachBin(bin -> {
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(engine.snapshot(KEY)).isNotNull();
    }

    @Test
    @DisplayName("a shutdown ends though a task of all groups, and a paused key, cannot get out of what is taken")
    void shutdownOfAll() throws InterruptedException {
        waitPatiently();
        submit(KEY);
        engine.pause(KEY);
        engine.pause(OTHER);
        engine.submit(Groups.all(), () -> ran.add("all"), null);
        breakBin();
        engine.service().shutdown();
        assertTold();
        assertThat(engine.isPaused(OTHER)).isFalse();
        assertThat(engine.service().shutdownNow()).hasSize(1);
        engine.service().closeAndWait();
        stepped.runAll();
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("only the first thread waits for a key that an Error keeps taken, if the Error was not noted there")
    void oneWaitsInVain() {
        AtomicInteger parks = new AtomicInteger();
        engine = engine(new Platform() {
            @Override
            public long patienceNanos() {
                return IMPATIENT.patienceNanos();
            }

            @Override
            public void parkNanos(Object blocker, long nanos) {
                parks.incrementAndGet();
                super.parkNanos(blocker, nanos);
            }
        });
        submit(KEY);
        Order order = engine.orderOf(KEY);
        order.bin().take();
        engine.orders.setBroken(error);
        for (int looks = 0; looks < 3; looks++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> engine.isPaused(KEY))
                    .withCause(error);
            if (looks == 0) {
                assertThat(parks.getAndSet(0)).isPositive();
            }
        }
        assertThat(parks).hasValue(0);
        engine.orders.letGo(order.bin());
        assertThat(engine.isPaused(KEY)).isFalse();
    }

    @Test
    @DisplayName("a shutdown waits for a key that another thread has for a moment")
    void shutdownWaitsForSoundKeys() {
        waitPatiently();
        submit(KEY);
        engine.pause(OTHER);
        Order other = engine.orderOf(OTHER);
        other.bin().take();
        breakBin();
        Thread closer = start(engine.service()::shutdown);
        Patience.awaitParked(closer);
        engine.orders.letGo(other.bin());
        Patience.join(closer);
        assertThat(engine.isPaused(OTHER)).isFalse();
    }

    /** A key that is equal to no other, and says so with an exception. */
    private static final class Incomparable {
        private final IllegalStateException refused;

        Incomparable(IllegalStateException refused) {
            this.refused = refused;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            throw refused;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    @DisplayName("what a key throws when it is compared gets to who waits for it, though the executor is broken")
    void exceptionsOfKeysAreTold() throws InterruptedException {
        IllegalStateException refused = new IllegalStateException("in the test");
        engine.submit(new Incomparable(refused), () -> ran.add(KEY), null);
        engine.orders.setBroken(error);
        assertThatThrownBy(() -> engine.awaitIdle(new Incomparable(refused), Duration.ZERO))
                .isSameAs(refused);
        assertTold();
    }

    private static Sequencer ofOneTicket(Platform platform) {
        SequencerSettings settings = new SequencerSettings(Sequencer.NEXT);
        settings.window = 1;
        return new Sequencer(settings, platform);
    }

    @Test
    @DisplayName("a thread that waits for a ticket gets the rejection, too")
    void whoWaitsForATicketGoes() throws InterruptedException {
        Sequencer sequencer = ofOneTicket(IMPATIENT);
        Ticket first = (Ticket) sequencer.tryIssue(Sequencer.NEXT);
        FutureTask<Reservation> waiting = new FutureTask<>(() -> sequencer.await(Sequencer.NEXT));
        Thread waiter = start(waiting);
        Patience.awaitParked(waiter);
        first.place.orders().setBroken(error);
        Patience.join(waiter);
        assertThatThrownBy(waiting::get).hasRootCause(error).cause().isInstanceOf(RejectedExecutionException.class);
        assertThat(told.poll(Patience.SECONDS, TimeUnit.SECONDS)).hasCause(error);
    }

    @Test
    @DisplayName("a thread whose ticket an Error has kept from it gets the rejection, and stays interrupted")
    void whoGetsNoTicketStaysInterrupted() throws InterruptedException {
        Sequencer sequencer = ofOneTicket(IMPATIENT);
        Ticket first = (Ticket) sequencer.tryIssue(Sequencer.NEXT);
        boolean[] wasInterrupted = new boolean[1];
        FutureTask<Reservation> waiting = new FutureTask<>(() -> {
            try {
                return sequencer.await(Sequencer.NEXT);
            } finally {
                wasInterrupted[0] = Thread.interrupted();
            }
        });
        Thread waiter = start(waiting);
        Patience.awaitParked(waiter);
        // when the ticket is issued, and its thread not told
        CompletableFuture<Void> between = sequencer.flush().thenRun(() -> {
            waiter.interrupt();
            first.place.orders().setBroken(error);
            Patience.join(waiter);
        });
        first.close();
        assertThat(between).isCompleted();
        assertThatThrownBy(waiting::get).hasRootCause(error).cause().isInstanceOf(RejectedExecutionException.class);
        assertThat(wasInterrupted[0]).isTrue();
        assertThat(told.poll(Patience.SECONDS, TimeUnit.SECONDS)).hasCause(error);
    }

    @Test
    @DisplayName("a ticket that was granted before its thread has seen that the executor is broken is not lost")
    void grantedTicketsAreNotLost() {
        Sequencer sequencer = ofOneTicket(Platform.JDK);
        Ticket first = (Ticket) sequencer.tryIssue(Sequencer.NEXT);
        FutureTask<Reservation> waiting = new FutureTask<>(() -> sequencer.await(Sequencer.NEXT));
        Thread waiter = start(waiting);
        Patience.awaitParked(waiter);
        first.place.orders().setBroken(error);
        first.close();
        Patience.join(waiter);
        assertThat(Patience.get(waiting)).hasToString("ticket 1 (open)");
    }

    @Test
    @DisplayName("a shutdown takes back what can be had")
    void shutdownNow() throws InterruptedException {
        waitPatiently();
        submit(KEY);
        submit(OTHER);
        breakBin();
        RunInside.tellIfBroken(engine.service());
        assertTold();
        assertThat(engine.service().shutdownNow()).hasSize(1);
    }

    @Test
    @DisplayName("an Exception under a bin changes nothing")
    void exceptionsAreNone() throws InterruptedException {
        submit(KEY);
        Order order = engine.orderOf(KEY);
        IllegalArgumentException refused = new IllegalArgumentException("in the test");
        assertThatThrownBy(() -> engine.orders.under(order.bin(), () -> {
                    throw refused;
                }))
                .isSameAs(refused);
        submit(KEY);
        stepped.runAll();
        assertThat(ran).containsExactly(KEY, KEY);
        assertThat(engine.service().drain(Duration.ofSeconds(Patience.SECONDS))).isTrue();
    }
}
