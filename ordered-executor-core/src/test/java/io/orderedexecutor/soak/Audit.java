package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what a load was told, and what its tasks say themselves: in the end both are the same. A listener that throws
 * now and then, which must harm nobody.
 */
final class Audit implements TaskListener {

    /** A key that is used again and again: its tasks run one at a time, those of one thread in order. */
    static final class Lane {
        private final AtomicInteger running = new AtomicInteger();

        /** The last task of each submitter that has run. Guarded by the order of the tasks. */
        private final long[] last;

        private final AtomicLong[] next;

        Lane(int submitters) {
            last = new long[submitters];
            next = new AtomicLong[submitters];
            for (int i = 0; i < submitters; i++) {
                next[i] = new AtomicLong();
            }
        }
    }

    final LongAdder submitted = new LongAdder();
    final LongAdder refused = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder runs = new LongAdder();
    private final AtomicLong heard = new AtomicLong();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    /** What some tasks throw. */
    static final class ErrorOnPurpose extends Error {
        private static final long serialVersionUID = 1;

        ErrorOnPurpose() {
            super("thrown by the test", null, false, false);
        }
    }

    // what tasks say

    /** A task of a lane. */
    final class Task {
        private final Lane lane;
        private final int submitter;
        private final long number;

        /** What it does, drawn when it is made: a random generator is not for several threads. */
        private final int deed;

        private final AtomicInteger ran = new AtomicInteger();

        /** Makes a task; called by its submitter, in the order of the submissions. */
        Task(Lane lane, int submitter, SplittableRandom random) {
            this.lane = lane;
            this.submitter = submitter;
            this.number = lane == null ? 0 : lane.next[submitter].incrementAndGet();
            this.deed = random.nextInt(100);
        }

        /** Runs; fails if it runs again, at the same time as another one of its lane, or before an earlier one. */
        Object run() {
            enter();
            try {
                if (deed < 5) {
                    throw new ThrownOnPurpose();
                }
                if (deed < 7) {
                    throw new ErrorOnPurpose();
                }
                if (deed < 10) {
                    Thread.currentThread().interrupt();
                }
                return this;
            } finally {
                leave();
            }
        }

        private void enter() {
            runs.increment();
            if (ran.incrementAndGet() > 1) {
                violations.add("a task ran twice");
            }
            if (lane != null) {
                if (lane.running.incrementAndGet() > 1) {
                    violations.add("two tasks of a key ran at once");
                }
                if (lane.last[submitter] >= number) {
                    violations.add("task " + number + " ran after task " + lane.last[submitter]);
                }
                lane.last[submitter] = number;
            }
        }

        private void leave() {
            if (lane != null) {
                lane.running.decrementAndGet();
            }
        }
    }

    // what the executor tells

    private void hear(LongAdder count) {
        count.increment();
        if (heard.incrementAndGet() % 997 == 0) {
            throw new ThrownOnPurpose();
        }
    }

    @Override
    public void queued(Object key, Object task) {
        hear(accepted);
    }

    @Override
    public void finished(Object key, Object task, long nanosRun) {
        hear(ended);
    }

    @Override
    public void failed(Object key, Object task, long nanosRun, Throwable failure) {
        hear(ended);
    }

    @Override
    public void dropped(Object key, Object task) {
        hear(ended);
    }

    @Override
    public void cancelled(Object key, Object task) {
        hear(ended);
    }

    // the end of a phase

    /** Fails unless everything that was accepted has one end, and everything submitted was accepted or refused. */
    void assertSettled() {
        assertThat(violations.stream().limit(5)).isEmpty();
        assertThat(ended.sum()).as("ended of what was accepted").isEqualTo(accepted.sum());
        assertThat(accepted.sum() + refused.sum()).as("accepted or refused").isEqualTo(submitted.sum());
        assertThat(runs.sum()).as("runs").isPositive().isLessThanOrEqualTo(accepted.sum());
    }

    String figures() {
        return String.format("%,d accepted, %,d refused, %,d run", accepted.sum(), refused.sum(), runs.sum());
    }
}
