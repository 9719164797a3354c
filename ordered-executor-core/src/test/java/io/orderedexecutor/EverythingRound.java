package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** One executor under load from its first task to its end, by one seed. */
final class EverythingRound {
    private static final int PRODUCERS = 3;
    private static final int STRIPES = 6;

    /** What the threads of a round are. */
    enum Threads {
        OWN,
        BORROWED,
        REFUSING
    }

    private final SplittableRandom random;
    private final int submissionsOfEach;
    private final Threads threads;
    private final EverythingSettings settings;
    private final String description;
    private final Coverage coverage;
    private final StripedExecutor executor;
    private final TaskDeeds deeds;
    private final ExecutorService completers = Executors.newFixedThreadPool(2);
    private final ScheduledExecutorService intruders = new ScheduledThreadPoolExecutor(1);
    private final List<WatchedStripe> stripes = new ArrayList<>();
    private final Queue<WatchedTask> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger submissions = new AtomicInteger();
    private final AtomicInteger skips = new AtomicInteger();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> takenBack = new ConcurrentLinkedQueue<>();
    private final CountDownLatch halfWay = new CountDownLatch(PRODUCERS);
    private volatile boolean stopping;

    EverythingRound(
            long seed,
            int submissionsOfEach,
            Threads threads,
            UnaryOperator<StripedExecutorBuilder> onThreads,
            Coverage coverage) {
        this.random = new SplittableRandom(seed);
        this.submissionsOfEach = submissionsOfEach;
        this.threads = threads;
        this.settings = EverythingSettings.any(random, seed);
        this.description = "-Dstress.seed=" + seed + " " + settings;
        this.coverage = coverage;
        HeardEnds listener = new HeardEnds(this, settings.listening() == EverythingSettings.Listening.THROWING);
        this.executor = onThreads.apply(settings.builder(listener)).build();
        this.deeds = new TaskDeeds(this, executor);
        for (int i = 0; i < STRIPES; i++) {
            stripes.add(new WatchedStripe(i));
        }
    }

    /** Runs the load to its end and asserts that all was kept. */
    void run() {
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            SplittableRandom own = random.split();
            producers.add(new Thread(() -> produce(own), "producer " + i));
        }
        Interference interference = new Interference(this, producers, random.split(), threads == Threads.OWN);
        try {
            interference.start();
            producers.forEach(Thread::start);
            end(producers, interference);
        } catch (AssertionError failure) {
            throw new AssertionError(failure.getMessage() + "; " + first(violations) + "; " + description, failure);
        } finally {
            completers.shutdownNow();
            intruders.shutdownNow();
        }
        assertThat(first(violations)).as(description).isEmpty();
        new EndsAudit(this).run();
    }

    private static Collection<String> first(Collection<String> violations) {
        return violations.stream().limit(5).toList();
    }

    // the load

    private void produce(SplittableRandom random) {
        try {
            List<WatchedStripe.Source> sources =
                    stripes.stream().map(stripe -> new WatchedStripe.Source()).toList();
            for (int i = 0; i < submissionsOfEach; i++) {
                if (i == submissionsOfEach / 2) {
                    halfWay.countDown();
                }
                // the square makes some stripes hot
                int stripe = (int) (STRIPES * Math.pow(random.nextDouble(), 2));
                TaskPlan plan = TaskPlan.any(random);
                submit(
                        plan.way().isStriped()
                                ? new WatchedTask(this, stripes.get(stripe), sources.get(stripe), plan)
                                : unstriped(plan));
                // it was meant for a wait for room
                Thread.interrupted();
            }
        } catch (Throwable failure) {
            report("a producer failed with " + failure);
        }
    }

    private WatchedTask unstriped(TaskPlan plan) {
        return new WatchedTask(this, new WatchedStripe(-1), new WatchedStripe.Source(), plan);
    }

    /** Submits a task; false if it is refused. */
    boolean submit(WatchedTask task) {
        tasks.add(task);
        submissions.incrementAndGet();
        try {
            task.submitTo(executor);
        } catch (RejectedExecutionException refusal) {
            return false;
        } catch (OutOfMemoryError refusal) {
            if (threads != Threads.REFUSING) {
                throw refusal;
            }
            return false;
        }
        if (task.plan().intrusion() != TaskPlan.Intrusion.NONE && task.future() != null) {
            intruders.schedule(
                    () -> task.intrude(task.plan().intrusion()), task.plan().intrusionMicros(), TimeUnit.MICROSECONDS);
        }
        return true;
    }

    // the end

    private void end(List<Thread> producers, Interference interference) {
        switch (settings.end()) {
            case DRAIN -> {
                producers.forEach(Patience::join);
                interference.stop();
                drain();
                awaitHelpers();
                new RefillCheck(this, threads == Threads.REFUSING).run();
                Patience.terminate(executor);
            }
            case SHUTDOWN -> {
                Patience.await(halfWay);
                Patience.terminate(executor);
                producers.forEach(Patience::join);
                interference.stop();
                awaitHelpers();
            }
            case SHUTDOWN_NOW -> {
                Patience.await(halfWay);
                stopping = true;
                Thread another = new Thread(() -> takenBack.addAll(executor.shutdownNow()));
                another.start();
                takenBack.addAll(executor.shutdownNow());
                Patience.join(another);
                Patience.awaitTermination(executor);
                producers.forEach(Patience::join);
                interference.stop();
                awaitHelpers();
            }
        }
    }

    /** Ends all pauses and parkings, until there are no tasks left. */
    void drain() {
        executor.resume();
        stripes.forEach(stripe -> executor.resume(stripe.key()));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Patience.SECONDS);
        try {
            while (!executor.drain(Duration.ofMillis(2))) {
                if (System.nanoTime() - deadline > 0) {
                    throw Patience.hang(executor + " has tasks, " + executor.deepestStripes(3) + ", running "
                            + executor.runningTasks() + ", parked " + executor.parkedStripes());
                }
                executor.parkedStripes().forEach(parked -> {
                    if (random.nextBoolean()) {
                        executor.resume(parked.stripe());
                    } else {
                        skip(parked.stripe());
                    }
                });
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Returns when nobody completes futures any more. */
    private void awaitHelpers() {
        for (ExecutorService helper : List.of(intruders, completers)) {
            helper.shutdown();
            try {
                if (!helper.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)) {
                    throw Patience.hang(helper + " has not terminated");
                }
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }
    }

    // what its parts have to know

    void skip(Object stripe) {
        if (executor.skip(stripe)) {
            skips.incrementAndGet();
        }
    }

    int skips() {
        return skips.get();
    }

    StripedExecutor executor() {
        return executor;
    }

    EverythingSettings settings() {
        return settings;
    }

    Coverage coverage() {
        return coverage;
    }

    TaskDeeds deeds() {
        return deeds;
    }

    ExecutorService completers() {
        return completers;
    }

    WatchedStripe anyStripe(SplittableRandom random) {
        return stripes.get(random.nextInt(STRIPES));
    }

    List<WatchedStripe> stripes() {
        return stripes;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Whether a task can say that an interrupt is not its own: one that runs inside another may get that one's. */
    boolean tellsInterruptsApart() {
        return !stopping && threads != Threads.REFUSING;
    }

    void report(String violation) {
        violations.add(violation);
    }

    String description() {
        return description;
    }

    int submissions() {
        return submissions.get();
    }

    Collection<WatchedTask> tasks() {
        return tasks;
    }

    Collection<Runnable> takenBack() {
        return takenBack;
    }
}
