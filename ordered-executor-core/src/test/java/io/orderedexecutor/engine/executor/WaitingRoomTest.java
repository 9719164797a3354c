package io.orderedexecutor.engine.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who tries when, of those who wait for room. */
class WaitingRoomTest {
    private static final long LONG = Patience.SECONDS * 1_000_000_000;

    private final WaitingRoom room = new WaitingRoom(Platform.JDK);
    private final AtomicInteger permits = new AtomicInteger();

    /** The names of those who have got in, in that order. */
    private final ConcurrentLinkedQueue<String> admitted = new ConcurrentLinkedQueue<>();

    /** A thread that waits for room, and the attempts that it makes. */
    private final class Waiter {
        final AtomicInteger attempts = new AtomicInteger();
        final AtomicReference<Object> outcome = new AtomicReference<>();
        final Thread thread;

        Waiter(String name, int stripeHash, long nanos, Supplier<NoRoom> attempt) {
            thread = new Thread(() -> {
                try {
                    outcome.set(room.await(Set.of(stripeHash), nanos, () -> {
                        attempts.incrementAndGet();
                        NoRoom full = attempt.get();
                        if (full == null) {
                            admitted.add(name);
                        }
                        return full;
                    }));
                } catch (InterruptedException | RuntimeException thrown) {
                    outcome.set(thrown);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        Object end() {
            Patience.join(thread);
            return outcome.get();
        }
    }

    private Waiter waiting(String name, int stripeHash, Supplier<NoRoom> attempt) {
        Waiter waiter = new Waiter(name, stripeHash, LONG, attempt);
        Patience.awaitParked(waiter.thread);
        return waiter;
    }

    private NoRoom takePermit() {
        return permits.getAndUpdate(free -> Math.max(0, free - 1)) > 0 ? null : NoRoom.IN_EXECUTOR;
    }

    @Test
    @DisplayName("permits of the executor go to those who wait in the order in which they came, whatever their stripe")
    void firstComeFirstServedAcrossStripes() {
        List<Waiter> waiters = List.of(
                waiting("first", 1, this::takePermit),
                waiting("second", 2, this::takePermit),
                waiting("third", 3, this::takePermit));
        assertThat(waiters.get(1).attempts).as("of one behind a better claim").hasValue(0);
        assertThat(waiters.get(2).attempts).as("of one behind a better claim").hasValue(0);
        permits.set(2);
        room.call();
        assertThat(waiters.get(0).end()).isEqualTo(true);
        assertThat(waiters.get(1).end()).isEqualTo(true);
        Patience.awaitParked(waiters.get(2).thread);
        assertThat(admitted).containsExactly("first", "second");
        permits.set(1);
        room.callForPermit();
        assertThat(waiters.get(2).end()).isEqualTo(true);
        assertThat(admitted).containsExactly("first", "second", "third");
        assertThat(room.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("a permit that is given back after an attempt and before its outcome is known is not overlooked")
    void aPermitThatComesBackDuringAnAttempt() {
        AtomicInteger attempts = new AtomicInteger();
        Waiter waiter = new Waiter("first", 1, LONG, () -> {
            if (attempts.incrementAndGet() > 1) {
                return null;
            }
            Thread giver = new Thread(room::callForPermit);
            giver.start();
            Patience.join(giver);
            return NoRoom.IN_EXECUTOR;
        });
        assertThat(waiter.end()).isEqualTo(true);
        assertThat(attempts).hasValue(2);
    }

    @Test
    @DisplayName("a submitter that fails to enter, since memory has run out, leaves nothing behind")
    void failsToEnter() throws InterruptedException {
        Set<Integer> failsOnce = new AbstractSet<>() {
            private boolean failed;

            @Override
            public Iterator<Integer> iterator() {
                if (!failed) {
                    failed = true;
                    throw new ThrownOnPurpose();
                }
                return List.of(1).iterator();
            }

            @Override
            public int size() {
                return 1;
            }
        };
        assertThatThrownBy(() -> room.await(failsOnce, LONG, () -> null)).isInstanceOf(ThrownOnPurpose.class);
        assertThat(room.isEmpty()).isTrue();
        assertThat(room.await(Set.of(1), LONG, () -> null)).isTrue();
    }

    @Test
    void roomThatIsMadeDuringAnAttemptIsNotOverlooked() {
        AtomicInteger attempts = new AtomicInteger();
        Waiter waiter = new Waiter("first", 1, LONG, () -> {
            if (attempts.incrementAndGet() > 1) {
                return null;
            }
            room.call();
            return NoRoom.inKey(1);
        });
        assertThat(waiter.end()).isEqualTo(true);
        assertThat(attempts).hasValue(2);
    }

    @Test
    @DisplayName("A permit that was taken in vain is none of the business of those who wait for a full stripe")
    void aPermitDoesNotCallThoseWhoWaitForAStripe() {
        AtomicInteger free = new AtomicInteger();
        Waiter ofStripe = waiting("stripe", 1, () -> free.get() == 0 ? NoRoom.inKey(1) : null);
        for (int i = 0; i < 1000; i++) {
            room.callForPermit();
        }
        free.set(1);
        room.call();
        assertThat(ofStripe.end()).isEqualTo(true);
        assertThat(ofStripe.attempts).hasValue(2);
    }

    @Test
    @DisplayName("One who gives a permit back because the stripe is full does not call itself to try again")
    void aGiverDoesNotCallItself() {
        AtomicInteger free = new AtomicInteger();
        Waiter waiter = waiting("first", 1, () -> {
            if (permits.get() == 0) {
                return NoRoom.IN_EXECUTOR;
            }
            room.callForPermit();
            return free.get() == 0 ? NoRoom.inKey(1) : null;
        });
        int before = waiter.attempts.get();
        permits.set(1);
        room.call();
        while (waiter.attempts.get() == before) {
            Patience.awaitParked(waiter.thread);
        }
        Patience.awaitParked(waiter.thread);
        free.set(1);
        room.call();
        assertThat(waiter.end()).isEqualTo(true);
        assertThat(waiter.attempts).hasValue(before + 2);
    }

    @Test
    @DisplayName("who came behind one that waited for a permit is not overtaken while it tries")
    void whoComesBehindOneThatWaitsForAPermitWaitsForAPermit() throws InterruptedException {
        CountDownLatch trying = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Waiter first = waiting("first", 1, this::takePermit);
        Waiter second = waiting("second", 2, () -> {
            trying.countDown();
            Patience.await(goOn);
            return takePermit();
        });
        permits.set(2);
        room.call();
        assertThat(first.end()).isEqualTo(true);
        Patience.await(trying);
        assertThat(room.await(Set.of(3), 0, this::takePermit))
                .as("of one who comes later")
                .isFalse();
        goOn.countDown();
        assertThat(second.end()).isEqualTo(true);
        assertThat(permits).hasValue(0);
    }

    @Test
    @DisplayName("one who has got a permit and finds the stripe full holds up nobody behind it")
    void whoNeedsNoPermitAfterAllLetsTheNextTry() {
        Waiter first = waiting("first", 1, () -> permits.get() == 0 ? NoRoom.IN_EXECUTOR : NoRoom.inKey(1));
        Waiter second = waiting("second", 2, this::takePermit);
        permits.set(1);
        room.call();
        assertThat(second.end()).isEqualTo(true);
        first.thread.interrupt();
        assertThat(first.end()).isInstanceOf(InterruptedException.class);
        assertThat(admitted).containsExactly("second");
    }

    @Test
    @DisplayName("One who leaves without room lets the next one try")
    void whoLeavesInVainCallsTheNext() {
        Waiter first = waiting("first", 1, () -> NoRoom.IN_EXECUTOR);
        Waiter second = waiting("second", 2, () -> null);
        assertThat(second.attempts).hasValue(0);
        first.thread.interrupt();
        assertThat(first.end()).isInstanceOf(InterruptedException.class);
        assertThat(second.end()).isEqualTo(true);
        assertThat(room.isEmpty()).isTrue();
    }

    @Test
    void whatAnAttemptThrowsEndsTheWait() {
        AtomicInteger attempts = new AtomicInteger();
        Waiter waiter = waiting("first", 1, () -> {
            if (attempts.incrementAndGet() > 1) {
                throw new ThrownOnPurpose();
            }
            return NoRoom.inKey(1);
        });
        room.call();
        assertThat(waiter.end()).isInstanceOf(ThrownOnPurpose.class);
        assertThat(room.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("The longest limit there is does not run out when time goes by")
    void theLongestLimit() {
        AtomicInteger free = new AtomicInteger();
        Waiter waiter = new Waiter("first", 1, Long.MAX_VALUE, () -> free.get() == 0 ? NoRoom.inKey(1) : null);
        Patience.awaitParked(waiter.thread);
        for (int attempt = 2; attempt < 5; attempt++) {
            room.call();
            while (waiter.attempts.get() < attempt && waiter.thread.isAlive()) {
                Patience.awaitParked(waiter.thread);
            }
        }
        free.set(1);
        room.call();
        assertThat(waiter.end()).isEqualTo(true);
        assertThat(waiter.attempts).hasValue(5);
    }

    @Test
    void aLimitThatIsOverMakesOneAttempt() throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        assertThat(room.await(Set.of(1), 0, () -> {
                    attempts.incrementAndGet();
                    return NoRoom.inKey(1);
                }))
                .isFalse();
        assertThat(attempts).hasValue(1);
        assertThat(room.isEmpty()).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> room.await(Set.of(1), LONG, () -> null)).isInstanceOf(InterruptedException.class);
        assertThat(room.isEmpty()).isTrue();
    }
}
