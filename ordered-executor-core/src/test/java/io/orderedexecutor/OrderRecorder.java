package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes tasks that watch over the contract: those of one lane never overlap, those of one source run in the order in
 * which they were made, each runs exactly once, or never if its maker said so.
 *
 * <p>A lane stands for a stripe, a source for one submitting thread on that stripe.
 */
final class OrderRecorder {
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();

    Lane lane(Object stripe) {
        return new Lane(stripe);
    }

    /** Asserts that all steps ran exactly once, except those that had to run never. */
    void assertAllRanOnceInOrder() {
        assertNoViolations();
        int wrong = 0;
        Step example = null;
        for (Step step : steps) {
            if (step.runs() != (step.excluded ? 0 : 1)) {
                wrong++;
                example = step;
            }
        }
        assertThat(wrong)
                .as("steps of %d that did not run as often as they should, for instance %s", steps.size(), example)
                .isZero();
    }

    void assertNoViolations() {
        Collection<String> first = violations.stream().limit(10).toList();
        assertThat(first)
                .as("violations of order and exclusion, %d in all", violations.size())
                .isEmpty();
    }

    Collection<Step> steps() {
        return steps;
    }

    final class Lane {
        final Object stripe;
        private final AtomicReference<Thread> inside = new AtomicReference<>();

        private Lane(Object stripe) {
            this.stripe = stripe;
        }

        Source source() {
            return new Source(this);
        }

        private void enter(Step step) {
            Thread other = inside.compareAndExchange(null, Thread.currentThread());
            if (other != null) {
                violations.add(step + " overlaps with a task on " + other.getName());
            }
        }

        private void leave() {
            inside.set(null);
        }
    }

    final class Source {
        private final Lane lane;
        private int made;

        /** Guarded by the exclusion of the lane. */
        private int last = -1;

        private Source(Lane lane) {
            this.lane = lane;
        }

        Step next() {
            return next(() -> {});
        }

        Step next(Runnable body) {
            Step step = new Step(this, made++, body);
            steps.add(step);
            return step;
        }
    }

    final class Step implements Runnable {
        private final Source source;
        private final int number;
        private final Runnable body;
        private final AtomicInteger runs = new AtomicInteger();
        private volatile boolean excluded;

        private Step(Source source, int number, Runnable body) {
            this.source = source;
            this.number = number;
            this.body = body;
        }

        @Override
        public void run() {
            begin();
            try {
                body.run();
            } finally {
                end();
            }
        }

        /** For a task that goes on after its method has returned. */
        void begin() {
            source.lane.enter(this);
            if (runs.incrementAndGet() != 1) {
                violations.add(this + " runs again");
            }
            if (number <= source.last) {
                violations.add(this + " runs after number " + source.last);
            }
            source.last = number;
        }

        void end() {
            source.lane.leave();
        }

        /** Says that this step must not run: its submission was refused, or it was taken back. */
        void exclude() {
            excluded = true;
        }

        int runs() {
            return runs.get();
        }

        @Override
        public String toString() {
            return "step " + number + " of stripe " + source.lane.stripe;
        }
    }
}
