package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.stats.StripedExecutorStats;
import java.util.ArrayList;
import java.util.List;

/**
 * R7, R8: an executor that is idle after any load is as empty as a new one, and takes exactly as many tasks as its
 * capacity.
 */
final class RefillCheck {
    private static final int CAPACITY = 7;
    private static final int STRIPE_CAPACITY = 3;

    private final EverythingRound round;
    private final StripedExecutor executor;
    private final Runnable drain;
    private final boolean refusing;
    private int stripes = 1000;

    RefillCheck(EverythingRound round, Runnable drain) {
        this.round = round;
        this.executor = round.executor();
        this.drain = drain;
        this.refusing = round.threads() == EverythingRound.Threads.REFUSING;
    }

    void run() {
        StripedExecutorStats idle = executor.stats();
        assertThat(idle.stripes() + idle.queued() + idle.active())
                .as("what is left in %s; %s", idle, round.description())
                .isZero();
        executor.pause();
        if (round.settings().capacity() != null) {
            executor.setCapacity(CAPACITY);
            executor.setStripeCapacity(STRIPE_CAPACITY);
            List<WatchedStripe> fresh = new ArrayList<>();
            for (int i = 0; i < CAPACITY; i++) {
                fresh.add(new WatchedStripe(stripes++));
            }
            assertFull(fresh, new WatchedStripe(stripes++));
        } else if (round.settings().isBounded() && !round.settings().discards()) {
            executor.setStripeCapacity(STRIPE_CAPACITY);
            WatchedStripe one = new WatchedStripe(stripes++);
            assertFull(List.of(one, one, one), one);
        }
        executor.resume();
        drain.run();
    }

    /** Asserts that there is room in these stripes, one after another, and then none. */
    private void assertFull(List<WatchedStripe> withRoom, WatchedStripe withoutRoom) {
        for (WatchedStripe stripe : withRoom) {
            // of two hand-overs at most one is refused
            assertThat(submit(stripe) || (refusing && submit(stripe)))
                    .as("room in %s; %s", stripe, round.description())
                    .isTrue();
        }
        // a submitter that would wait for room is told at once
        Thread.currentThread().interrupt();
        boolean taken = submit(withoutRoom);
        Thread.interrupted();
        assertThat(taken)
                .as("room in %s beyond all capacity; %s", withoutRoom, round.description())
                .isFalse();
    }

    private boolean submit(WatchedStripe stripe) {
        return round.submit(new WatchedTask(
                round, stripe, stripe.sourceTo(stripe), TaskPlan.plain(SubmissionWay.EXECUTE, stripes)));
    }
}
