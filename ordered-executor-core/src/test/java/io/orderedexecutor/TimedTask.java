package io.orderedexecutor;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A task that notes on one clock for all when it was submitted, started and ended. It is the test's; what is submitted
 * is another object, that refers to it.
 */
final class TimedTask {
    static final long NEVER = Long.MAX_VALUE;

    final int producer;
    final int number;
    final Touch touch;
    final boolean isHeld;
    private final Runnable body;
    private final AtomicLong clock;
    private final AtomicInteger starts = new AtomicInteger();

    /** Written by the producer, read when all is over. */
    long submissionBegan;

    /** Written by the producer, read when all is over; never, if it was refused. */
    long submissionEnded = NEVER;

    volatile long started = NEVER;
    volatile long ended = NEVER;

    /** Whether this task was returned by shutdownNow. */
    volatile boolean isTakenBack;

    volatile Future<?> future;

    /** Cleared when nothing keeps what the executor was given. */
    WeakReference<Submitted> whatWasSubmitted;

    TimedTask(int producer, int number, Touch touch, boolean isHeld, Runnable body, AtomicLong clock) {
        this.producer = producer;
        this.number = number;
        this.touch = touch;
        this.isHeld = isHeld;
        this.body = body;
        this.clock = clock;
    }

    void start() {
        starts.incrementAndGet();
        started = clock.getAndIncrement();
    }

    void end() {
        ended = clock.getAndIncrement();
    }

    private int run() {
        start();
        try {
            body.run();
        } finally {
            end();
        }
        return number;
    }

    /** Ends some time after it was started, on another thread, in one of three ways. */
    private CompletionStage<Integer> startStage(Executor completer) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        start();
        completer.execute(() -> {
            end();
            Future<?> own = future;
            if (number % 3 == 0 && own != null) {
                own.cancel(true);
            }
            if (number % 3 == 1) {
                stage.completeExceptionally(new ThrownOnPurpose());
            }
            stage.complete(number);
        });
        return stage;
    }

    int starts() {
        return starts.get();
    }

    boolean wasAccepted() {
        return submissionEnded != NEVER;
    }

    boolean isCancelled() {
        Future<?> own = future;
        return own != null && own.isCancelled();
    }

    /** Gives this task to an executor, as what it is. */
    void submit(GroupedExecutor executor, Executor completer, boolean wantsFuture) {
        submissionBegan = clock.getAndIncrement();
        Submitted submitted = touch.peer() == null ? new Submitted(this) : new SubmittedPeer(this);
        whatWasSubmitted = new WeakReference<>(submitted);
        ExecutorService service = executor.asExecutorService();
        if (isHeld) {
            future = executor.submitAsync(touch.groups(), () -> submitted.task.startStage(completer));
        } else if (touch.wants().isEmpty() && wantsFuture) {
            future = service.submit(submitted);
        } else if (touch.wants().isEmpty()) {
            service.execute(submitted);
        } else if (wantsFuture) {
            future = executor.submit(touch.groups(), submitted::call);
        } else {
            executor.execute(touch.groups(), submitted);
        }
        submissionEnded = clock.getAndIncrement();
    }

    @Override
    public String toString() {
        return "task " + producer + "/" + number + " " + touch + ", submitted " + submissionBegan + " to "
                + submissionEnded + ", ran " + started + " to " + ended;
    }

    /** What the executor sees. */
    static class Submitted implements Runnable {
        final TimedTask task;

        Submitted(TimedTask task) {
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }

        int call() {
            return task.run();
        }
    }

    private static final class SubmittedPeer extends Submitted implements OrderedTask {
        SubmittedPeer(TimedTask task) {
            super(task);
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            Touch.Peer other = ((SubmittedPeer) that).task.touch.peer();
            if (!task.touch.peer().isAskedAbout(other)) {
                throw new AssertionError("asked about another class");
            }
            return task.touch.peer().tolerates(other);
        }

        @Override
        public Object compatibilityClass() {
            return task.touch.peer().compatibilityClass();
        }
    }
}
