package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

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
            new EverythingEnd(this, producers, interference, random.split()).run();
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

    /** Submits tasks that nobody ends but shutdownNow, each to a stripe where it may start at once. */
    void submitHolding() {
        for (int i = 0; i < 2 * STRIPES; i++) {
            WatchedStripe stripe = new WatchedStripe(100 + i);
            submit(new WatchedTask(this, stripe, stripe.sourceTo(stripe), TaskPlan.holding()));
        }
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

    // what its parts have to know

    Threads threads() {
        return threads;
    }

    CountDownLatch halfWay() {
        return halfWay;
    }

    /** To be called before shutdownNow. */
    void setStopping() {
        stopping = true;
    }

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

    ExecutorService intruders() {
        return intruders;
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

    Queue<Runnable> takenBack() {
        return takenBack;
    }
}
