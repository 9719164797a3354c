package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.stats.StripedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A load in which virtual threads do whatever can be done with an executor whose tasks run on virtual threads: each way
 * to submit, to wait, to fail, to be cancelled, and to end. Every thread waits now and then, as one carrier must be
 * enough for all.
 */
final class AllFeatures {
    private static final int SUBMITTERS = 6;
    private static final int SUBMISSIONS = 48;
    private static final int STRIPES = 5;

    private static final List<Overflow> OVERFLOWS =
            List.of(Overflow.reject(), Overflow.block(Duration.ofSeconds(Patience.SECONDS)), Overflow.discardOldest());
    private static final List<FailurePolicy> POLICIES = List.of(
            FailurePolicy.proceed(),
            FailurePolicy.park(),
            FailurePolicy.retry(2, Duration.ofMillis(1)).thenPark());

    private final HeardTasks heard = new HeardTasks();
    private final OrderRecorder recorder = new OrderRecorder();
    private final List<OrderRecorder.Lane> lanes = new ArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger ofInner = new AtomicInteger();
    private final AtomicBoolean allSubmitted = new AtomicBoolean();
    private final AtomicBoolean over = new AtomicBoolean();
    private final String context;
    private final boolean stopped;
    private final StripedExecutor executor;

    private AllFeatures(Overflow overflow, FailurePolicy policy, boolean stopped) {
        this.context = overflow + ", " + policy + (stopped ? ", stopped" : "");
        this.stopped = stopped;
        this.executor = StripedExecutor.builder()
                .executor(VirtualThreads.executor())
                .capacity(40)
                .stripeCapacity(15)
                .overflow(overflow)
                .failurePolicy(policy)
                .listener(heard)
                .build();
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            lanes.add(recorder.lane(stripe));
        }
    }

    /** Runs all, and asserts that each task has ended once, in order. */
    static void run() {
        for (Overflow overflow : OVERFLOWS) {
            for (FailurePolicy policy : POLICIES) {
                for (boolean stopped : new boolean[] {false, true}) {
                    new AllFeatures(overflow, policy, stopped).runOnce();
                }
            }
        }
    }

    private void runOnce() {
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            submitters.add(VirtualThreads.start(this::submitAll));
        }
        Thread controller = VirtualThreads.start(this::control);
        List<Thread> waiting = new ArrayList<>();
        waiting.add(VirtualThreads.start(() -> Patience.awaitTermination(executor)));
        waiting.add(VirtualThreads.start(() -> drain(Duration.ofSeconds(Patience.SECONDS))));
        if (stopped) {
            // in the middle of it, with luck; it has to be right at any time
            Patience.join(VirtualThreads.start(executor::shutdownNow));
        }
        submitters.forEach(Patience::join);
        allSubmitted.set(true);
        if (!stopped) {
            Patience.join(VirtualThreads.start(() -> assertThat(drain(Duration.ofSeconds(Patience.SECONDS)))
                    .as(context)
                    .isTrue()));
        }
        over.set(true);
        Patience.join(controller);
        executor.resume();
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            executor.resume(stripe);
        }
        if (!stopped) {
            executor.execute("last", executor::close);
        }
        waiting.forEach(Patience::join);
        verify();
    }

    private boolean drain(Duration limit) {
        try {
            return executor.drain(limit);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isTerminatedSoon() {
        try {
            return executor.awaitTermination(100, TimeUnit.MICROSECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void submitAll() {
        CompletableFuture<?> last = CompletableFuture.completedFuture(0);
        List<OrderRecorder.Source> sources =
                lanes.stream().map(OrderRecorder.Lane::source).toList();
        for (int i = 0; i < SUBMISSIONS; i++) {
            try {
                last = submit(i, sources.get(i % STRIPES), last);
            } catch (RejectedExecutionException e) {
                refused.incrementAndGet();
                pause();
            }
        }
    }

    private CompletableFuture<?> submit(int i, OrderRecorder.Source source, CompletableFuture<?> last) {
        int stripe = i % STRIPES;
        switch (i % 8) {
            case 0 -> executor.execute(stripe, source.next());
            case 1 -> executor.executorFor(stripe).execute(source.next(AllFeatures::pause));
            case 2 ->
                executor.submit(stripe, Executors.callable(source.next(AllFeatures::pause)))
                        .cancel(true);
            case 3 -> {
                return executor.submitAsync(stripe, () -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    VirtualThreads.start(() -> stage.complete(i));
                    return stage;
                });
            }
            case 4 -> {
                AtomicInteger attempts = new AtomicInteger();
                return executor.submit(stripe, () -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new ThrownOnPurpose();
                    }
                    return 1;
                });
            }
            case 5 -> executor.execute(stripe, () -> submitFromInside(executor.executorFor("inner")));
            case 6 -> {
                return executor.submit(stripe, () -> {
                    try {
                        return last.get();
                    } catch (SelfWaitException told) {
                        return told;
                    }
                });
            }
            default ->
                executor.asExecutorService()
                        .execute(Striped.task(stripe, source.next(Thread.currentThread()::getName)));
        }
        return last;
    }

    private void submitFromInside(Executor inner) {
        try {
            inner.execute(ofInner::incrementAndGet);
        } catch (RejectedExecutionException e) {
            refused.incrementAndGet();
        }
    }

    /** Gives the carrier to others until a thread of theirs has run. */
    private static void pause() {
        CompletableFuture<Integer> other = new CompletableFuture<>();
        VirtualThreads.start(() -> other.complete(1));
        try {
            other.get();
        } catch (InterruptedException e) {
            // by a cancellation or shutdownNow: the task ends
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void control() {
        // an idle executor is drained at once, but never terminated, so there is always a wait
        for (int i = 0; !over.get() && !isTerminatedSoon(); i++) {
            int stripe = i % STRIPES;
            if (!allSubmitted.get()) {
                executor.pause(stripe);
                if (i % 3 == 0) {
                    executor.pause();
                }
            }
            executor.setTurn(1 + i % 64, Duration.ofMillis(1));
            executor.setCapacity(30 + i % 20);
            executor.runningTasks();
            executor.parkedStripes();
            executor.stats();
            drain(Duration.ofNanos(1 + i % 1_000_000));
            executor.resume(stripe);
            executor.resume();
            if (i % 7 == 0) {
                executor.skip((stripe + 1) % STRIPES);
            }
            executor.resume((stripe + 2) % STRIPES);
        }
    }

    private void verify() {
        recorder.assertNoViolations();
        heard.assertOneEndEach(context);
        StripedExecutorStats stats = executor.stats();
        assertThat(stats.stripes() + stats.queued() + stats.active())
                .as("left over; %s", context)
                .isZero();
        assertThat(stats.completed() + stats.failed() + stats.cancelled())
                .as("ends of accepted tasks; %s", context)
                .isEqualTo(heard.count(HeardTasks.Kind.QUEUED));
        assertThat(stats.completed()).as(context).isEqualTo(heard.count(HeardTasks.Kind.FINISHED));
        assertThat(stats.rejected()).as(context).isEqualTo(refused.get());
        long run = recorder.steps().stream().filter(step -> step.runs() == 1).count();
        if (!stopped) {
            assertThat(run).as("steps that ran; %s", context).isPositive();
        }
    }
}
