package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose thread runs a task that the pool underneath does not run: R5. */
@Tag("no-second-try")
class WhoRunsTest {

    /** What the pool does once it has run what is submitted first. */
    private enum Pool {
        FULL_FOR_A_MOMENT,
        REFUSES,
        SHUT_DOWN,
        RUNS_INLINE,
        /** The executor has threads of its own, and no more of them start. */
        STARTS_NO_THREAD
    }

    private enum Kind {
        STRIPED,
        GROUPED,
        OUTPUT
    }

    /** Who makes a task ready that another has submitted. */
    private enum Actor {
        /** Its own task is first in the order; it ends, or is refused, within the submission. */
        ANOTHER_SUBMITTER,
        COMPLETER,
        CANCELLER,
        RESUMER,
        TIMER,
        GIVER_BACK,
        USER_OF_A_RESERVATION,
        TASK_OF_ANOTHER_EXECUTOR,
        TASK_OF_THE_SAME_EXECUTOR;

        boolean needsReservation() {
            return this == GIVER_BACK || this == USER_OF_A_RESERVATION;
        }

        boolean isOn(Pool pool, Kind kind) {
            boolean sharesThreads = pool != Pool.STARTS_NO_THREAD;
            return (kind != Kind.OUTPUT || !needsReservation()) && (sharesThreads || this != TASK_OF_ANOTHER_EXECUTOR);
        }
    }

    /** A pool of one thread, and what is done on it. */
    private static final class Case implements Executor, ThreadFactory {
        private static final long LONGER_THAN_IDLE_THREADS_LIVE =
                Duration.ofHours(1).toNanos();

        private final Pool pool;
        private final Kind kind;
        private final Actor actor;
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final AtomicInteger refusals = new AtomicInteger();
        private final AtomicLong now = new AtomicLong();
        private final HandTimer timer = new HandTimer(now::get);
        private final List<Thread> own = new CopyOnWriteArrayList<>();
        private final List<Throwable> reported = new CopyOnWriteArrayList<>();
        private volatile boolean armed;

        /** Done once by the actor within its submission, before it gets the pool's answer. */
        private volatile Runnable meanwhile;

        private volatile Thread acting;

        private final AtomicInteger ran = new AtomicInteger();
        private final AtomicInteger ranOfActor = new AtomicInteger();
        private final AtomicBoolean ranWithinAct = new AtomicBoolean();

        Case(Pool pool, Kind kind, Actor actor) {
            this.pool = pool;
            this.kind = kind;
            this.actor = actor;
        }

        @Override
        public void execute(Runnable task) {
            beforeAnswer();
            if (armed && (pool == Pool.REFUSES || (pool == Pool.FULL_FOR_A_MOMENT && refusals.getAndIncrement() < 3))) {
                throw new RejectedExecutionException("refused by the test");
            }
            if (armed && pool == Pool.RUNS_INLINE) {
                task.run();
            } else {
                thread.execute(task);
            }
        }

        @Override
        public Thread newThread(Runnable work) {
            beforeAnswer();
            if (armed) {
                throw new ThrownOnPurpose();
            }
            Thread next = new Thread(work, "own");
            next.setUncaughtExceptionHandler((ignored, failure) -> reported.add(failure));
            own.add(next);
            return next;
        }

        private void beforeAnswer() {
            Runnable action = meanwhile;
            if (action != null && acting == Thread.currentThread()) {
                meanwhile = null;
                Thread other = new Thread(action, "another");
                other.start();
                Patience.join(other);
                arm();
            }
        }

        /** What was submitted before has gone as far as it can, and no thread of the executor's own is left. */
        private void settle() {
            Patience.get(thread.submit(() -> {}));
            Patience.awaitEnds(own, () -> now.addAndGet(LONGER_THAN_IDLE_THREADS_LIVE));
        }

        private void arm() {
            armed = true;
            if (pool == Pool.SHUT_DOWN) {
                thread.shutdown();
            }
        }

        private void act(Runnable action) {
            acting = Thread.currentThread();
            try {
                action.run();
            } finally {
                acting = null;
            }
        }

        private int victim() {
            if (acting == Thread.currentThread()) {
                ranWithinAct.set(true);
            }
            return ran.incrementAndGet();
        }

        void check() throws Exception {
            if (kind == Kind.OUTPUT) {
                checkOutput();
            } else {
                checkKeyed();
            }
            thread.shutdown();
            assertThat(ran).as("%s: runs", this).hasValue(1);
            boolean runsOfActor = actor == Actor.ANOTHER_SUBMITTER && pool == Pool.RUNS_INLINE;
            assertThat(ranOfActor).as("%s: runs of the actor's own", this).hasValue(runsOfActor ? 1 : 0);
            assertThat(reported).as("%s", this).allMatch(ThrownOnPurpose.class::isInstance);
            assertThat(ranWithinAct).as("%s: run by the actor", this).isFalse();
        }

        /** The actor submits a task of its own, and meanwhile another thread the victim behind it. */
        private CompletableFuture<Integer> submitMeanwhile(
                OrderedExecutor executor,
                Function<Callable<Integer>, CompletableFuture<Integer>> submit,
                Function<Callable<Integer>, CompletableFuture<Integer>> submitVictim,
                Callable<Integer> victim) {
            AtomicReference<CompletableFuture<Integer>> submitted = new AtomicReference<>();
            meanwhile = () -> submitted.set(submitVictim.apply(victim));
            Runnable action = () -> {
                try {
                    Patience.get(submit.apply(ranOfActor::incrementAndGet));
                } catch (RejectedExecutionException | ThrownOnPurpose refused) {
                    assertThat(pool).isNotEqualTo(Pool.RUNS_INLINE);
                }
            };
            perform(executor, action, null);
            return submitted.get();
        }

        private void checkKeyed() throws Exception {
            Keyed executor = kind == Kind.STRIPED ? striped() : grouped();
            if (actor == Actor.ANOTHER_SUBMITTER) {
                Patience.get(submitMeanwhile(executor.executor(), executor::submit, executor::submit, this::victim));
                Patience.terminate(executor.executor());
                return;
            }
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            CompletableFuture<Integer> victim = null;
            Runnable action = () -> stage.complete(1);
            Reservation place = actor.needsReservation() ? executor.reserve() : null;
            AtomicInteger attempts = new AtomicInteger();
            if (actor == Actor.RESUMER) {
                executor.control().pause();
                action = executor.control()::resume;
            } else if (actor == Actor.TIMER) {
                victim = executor.submit(() -> {
                    if (attempts.getAndIncrement() == 0) {
                        throw new ThrownOnPurpose();
                    }
                    return victim();
                });
                action = timer::fire;
            } else if (place == null) {
                CompletableFuture<Integer> before = executor.submitAsync(() -> stage);
                action = actor == Actor.CANCELLER ? () -> before.cancel(true) : action;
            }
            if (actor == Actor.GIVER_BACK) {
                action = place::close;
            }
            if (victim == null && actor != Actor.USER_OF_A_RESERVATION) {
                victim = executor.submit(this::victim);
            }
            perform(executor.executor(), actor == Actor.USER_OF_A_RESERVATION ? null : action, place);
            if (victim != null) {
                Patience.get(victim);
            }
            Patience.terminate(executor.executor());
        }

        /** Arms the pool, and does what makes the victim ready. */
        private void perform(OrderedExecutor executor, Runnable action, Reservation place) {
            Runnable acts = () -> act(
                    action != null
                            ? action
                            : () -> Objects.requireNonNull(place).execute(this::victim));
            settle();
            if (actor != Actor.TASK_OF_ANOTHER_EXECUTOR && actor != Actor.TASK_OF_THE_SAME_EXECUTOR) {
                if (meanwhile == null) {
                    arm();
                }
                acts.run();
                return;
            }
            CountDownLatch go = new CountDownLatch(1);
            FutureTask<Void> task = new FutureTask<>(
                    () -> {
                        Patience.await(go);
                        acts.run();
                    },
                    null);
            if (actor == Actor.TASK_OF_ANOTHER_EXECUTOR) {
                StripedExecutor.builder().executor(this).build().execute("other", task);
            } else if (executor instanceof StripedExecutor striped) {
                striped.execute("other", task);
            } else if (executor instanceof GroupedExecutor grouped) {
                grouped.execute(Groups.exclusive("other"), task);
            } else {
                ((OrderedOutputExecutor) executor).open(ignored -> {}).submit(Executors.callable(task));
            }
            arm();
            go.countDown();
            Patience.get(task);
        }

        private void checkOutput() throws Exception {
            OrderedOutputExecutorBuilder builder =
                    OrderedOutputExecutor.builder().platform(timer).failurePolicy(retry());
            OrderedOutputExecutor executor = (pool == Pool.STARTS_NO_THREAD
                            ? builder.threads(2).threadFactory(this)
                            : builder.executor(this))
                    .build();
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            OrderedOutput<Integer> output = executor.open(number -> {
                if (number == 2) {
                    victim();
                }
            });
            if (actor == Actor.ANOTHER_SUBMITTER) {
                CountDownLatch worked = new CountDownLatch(1);
                Patience.get(submitMeanwhile(
                        executor,
                        output::submit,
                        work -> {
                            CompletableFuture<Integer> victim = output.submit(work);
                            if (pool != Pool.STARTS_NO_THREAD) {
                                // and it is ready to be written
                                Patience.await(worked);
                                settle();
                            }
                            return victim;
                        },
                        () -> {
                            worked.countDown();
                            return 2;
                        }));
                Patience.terminate(executor);
                return;
            }
            Runnable action = () -> stage.complete(1);
            AtomicInteger attempts = new AtomicInteger();
            if (actor == Actor.RESUMER) {
                executor.control().pause();
                action = executor.control()::resume;
            } else if (actor == Actor.TIMER) {
                output.submit(() -> {
                    if (attempts.getAndIncrement() == 0) {
                        throw new ThrownOnPurpose();
                    }
                    return 1;
                });
                action = timer::fire;
            } else {
                CompletableFuture<Integer> head = output.submitAsync(() -> stage);
                action = actor == Actor.CANCELLER ? () -> head.cancel(true) : action;
            }
            CompletableFuture<Integer> victim = output.submit(() -> 2);
            perform(executor, action, null);
            Patience.get(victim);
            Patience.terminate(executor);
        }

        private static FailurePolicy retry() {
            return FailurePolicy.retry()
                    .maxRetries(1)
                    .delay(Duration.ofSeconds(1))
                    .thenProceed();
        }

        private Keyed striped() {
            StripedExecutorBuilder builder =
                    StripedExecutor.builder().platform(timer).failurePolicy(retry());
            StripedExecutor executor = (pool == Pool.STARTS_NO_THREAD
                            ? builder.threads(2).threadFactory(this)
                            : builder.executor(this))
                    .build();
            return new Keyed() {
                @Override
                public CompletableFuture<Integer> submit(Callable<Integer> task) {
                    return executor.submit("a", task);
                }

                @Override
                public CompletableFuture<Integer> submitAsync(Supplier<CompletionStage<Integer>> task) {
                    return executor.submitAsync("a", task);
                }

                @Override
                public Reservation reserve() {
                    return executor.reserve("a");
                }

                @Override
                public OrderedExecutor executor() {
                    return executor;
                }
            };
        }

        private Keyed grouped() {
            GroupedExecutorBuilder builder =
                    GroupedExecutor.builder().platform(timer).failurePolicy(retry());
            GroupedExecutor executor = (pool == Pool.STARTS_NO_THREAD
                            ? builder.threads(2).threadFactory(this)
                            : builder.executor(this))
                    .build();
            Groups groups = Groups.exclusive("a", "b");
            return new Keyed() {
                @Override
                public CompletableFuture<Integer> submit(Callable<Integer> task) {
                    return executor.submit(groups, task);
                }

                @Override
                public CompletableFuture<Integer> submitAsync(Supplier<CompletionStage<Integer>> task) {
                    return executor.submitAsync(groups, task);
                }

                @Override
                public Reservation reserve() {
                    return executor.reserve(groups);
                }

                @Override
                public OrderedExecutor executor() {
                    return executor;
                }
            };
        }

        @Override
        public String toString() {
            return actor + " of " + kind + " on a pool that is " + pool;
        }
    }

    /** One key of a keyed executor, or two. */
    private interface Keyed {
        CompletableFuture<Integer> submit(Callable<Integer> task);

        CompletableFuture<Integer> submitAsync(Supplier<CompletionStage<Integer>> task);

        Reservation reserve();

        OrderedExecutor executor();

        default ExecutorControl control() {
            return executor().control();
        }
    }

    @Test
    @DisplayName("who makes another's task ready does not run it: {completer, canceller, …} × {striped, …} × {full, …}")
    void nobodyRunsTheTaskOfAnother() {
        List<FutureTask<Void>> all = new ArrayList<>();
        for (Pool pool : Pool.values()) {
            for (Kind kind : Kind.values()) {
                for (Actor actor : Actor.values()) {
                    if (actor.isOn(pool, kind)) {
                        Case next = new Case(pool, kind, actor);
                        all.add(new FutureTask<>(() -> {
                            next.check();
                            return null;
                        }));
                    }
                }
            }
        }
        // most of them wait for a helper, which waits for a pool
        for (FutureTask<Void> each : all) {
            new Thread(each, "actor").start();
        }
        all.forEach(Patience::get);
        assertThat(all).hasSize(5 * (3 * 9 - 2) - 3);
    }

    @Test
    @DisplayName("an executor without a thread: reservations are used and given back, keys resumed")
    void noThreadStarts() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(work -> {
                    throw new ThrownOnPurpose();
                })
                .build();
        Thread here = Thread.currentThread();
        List<Thread> ran = new CopyOnWriteArrayList<>();
        Runnable task = () -> ran.add(Thread.currentThread());
        // before there is a helper: while that tries to start a thread, others may count on it
        assertThatThrownBy(() -> executor.execute("d", task))
                .as("a submission to an idle key is refused")
                .isInstanceOf(ThrownOnPurpose.class);
        Reservation used = executor.reserve("a");
        Reservation givenBack = executor.reserve("b");
        executor.execute("b", task);
        executor.control().pause("c");
        executor.execute("c", task);
        used.execute(task);
        givenBack.close();
        executor.control().resume("c");
        Patience.terminate(executor);
        assertThat(ran).hasSize(3).doesNotContain(here).containsOnly(ran.get(0));
        assertThat(ran.get(0).getName()).isEqualTo(executor.name() + "-helper-1");
    }

    @Test
    @DisplayName("if not even the helper starts, the thread at hand runs what is ready, and that is reported")
    void noHelperStarts() {
        Platform none = new Platform() {
            @Override
            public void start(Thread thread) {
                throw new ThrownOnPurpose();
            }
        };
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .name("orders")
                .executor(steps)
                .platform(none)
                .build();
        Reservation place = executor.reserve("a");
        steps.refuse(true);
        Thread here = Thread.currentThread();
        List<Thread> ran = new CopyOnWriteArrayList<>();
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = here.getUncaughtExceptionHandler();
        here.setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        try {
            place.execute(() -> ran.add(Thread.currentThread()));
        } finally {
            here.setUncaughtExceptionHandler(before);
        }
        assertThat(ran).containsExactly(here);
        assertThat(reported).hasSize(1);
        assertThat(reported.get(0))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageStartingWith("no thread could be started for executor 'orders'");
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("while the helper runs a task that the pool has refused, others are offered to the pool")
    void othersAreOfferedWhileTheHelperRuns() {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicBoolean refuses = new AtomicBoolean();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("refused by the test");
                    }
                    threads.execute(task);
                })
                .build();
        Reservation first = executor.reserve("a");
        Reservation second = executor.reserve("b");
        refuses.set(true);
        CountDownLatch helping = new CountDownLatch(1);
        CountDownLatch met = new CountDownLatch(1);
        CompletableFuture<Thread> byHelper = first.submit(() -> {
            helping.countDown();
            Patience.await(met);
            return Thread.currentThread();
        });
        Patience.await(helping);
        CompletableFuture<Thread> byPool = second.submit(() -> {
            met.countDown();
            return Thread.currentThread();
        });
        refuses.set(false);
        assertThat(Patience.get(byHelper).getName()).contains("-helper-");
        assertThat(Patience.get(byPool).getName()).doesNotContain("-helper-");
        Patience.terminate(executor);
        threads.shutdown();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    @DisplayName("a pool with a queue that its callers empty runs tasks where it likes, each once")
    void aPoolThatItsCallersEmpty() {
        ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
        AtomicInteger queued = new AtomicInteger();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {
                    queue.add(task);
                    if (queued.getAndIncrement() == 0) {
                        do {
                            queue.remove().run();
                        } while (queued.decrementAndGet() > 0);
                    }
                })
                .build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        AtomicInteger own = new AtomicInteger();
        Thread caller = new Thread(() -> executor.execute("a", () -> {
            own.incrementAndGet();
            running.countDown();
            Patience.await(others);
        }));
        caller.start();
        Patience.await(running);
        List<CompletableFuture<Thread>> foreign = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            foreign.add(executor.submit("key " + i, Thread::currentThread));
        }
        others.countDown();
        Patience.join(caller);
        assertThat(foreign).extracting(Patience::get).hasSize(100).containsOnly(caller);
        Patience.terminate(executor);
        assertThat(own).hasValue(1);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 101, 0, 0, 0));
    }

    @Test
    @DisplayName("if no thread starts, the pool gets what it takes before the thread at hand runs what it has refused")
    void allAreHandedOverFirst() {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicInteger starts = new AtomicInteger();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(task -> {
                    if (refuses.getAndSet(false)) {
                        throw new RejectedExecutionException("refused by the test");
                    }
                    threads.execute(task);
                })
                .platform(new Platform() {
                    @Override
                    public void start(Thread thread) {
                        starts.incrementAndGet();
                        throw new ThrownOnPurpose();
                    }
                })
                .build();
        executor.control().pause();
        CountDownLatch met = new CountDownLatch(2);
        List<CompletableFuture<Boolean>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(executor.submit(Groups.shared("a"), () -> {
                met.countDown();
                Patience.await(met);
                return true;
            }));
        }
        refuses.set(true);
        executor.control().resume();
        assertThat(readers).extracting(Patience::get).containsOnly(true);
        assertThat(starts.get()).as("helpers that did not start").isPositive();
        Patience.terminate(executor);
        threads.shutdown();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    @DisplayName("the thread at hand tries to start the helper again, and others do while it runs a task")
    void theHelperStartsLater() {
        AtomicBoolean starts = new AtomicBoolean();
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .platform(new Platform() {
                    @Override
                    public void start(Thread thread) {
                        if (!starts.get()) {
                            throw new ThrownOnPurpose();
                        }
                        thread.start();
                    }
                })
                .build();
        Reservation first = executor.reserve("a");
        Reservation second = executor.reserve("b");
        steps.refuse(true);
        Thread here = Thread.currentThread();
        List<CompletableFuture<Thread>> inside = new ArrayList<>();
        CompletableFuture<Thread> outside = first.submit(() -> {
            starts.set(true);
            inside.add(second.submit(Thread::currentThread));
            assertThat(Patience.get(inside.get(0))).as("runs beside this task").isNotSameAs(here);
            return Thread.currentThread();
        });
        assertThat(Patience.get(outside)).isSameAs(here);
        assertThat(inside).hasSize(1);
        Patience.terminate(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    @DisplayName("a pool that runs tasks in their caller: each caller runs its own, and what that submits")
    void eachCallerRunsItsOwn() throws InterruptedException {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        List<Thread> own = new CopyOnWriteArrayList<>();
        List<Thread> foreign = new CopyOnWriteArrayList<>();
        Thread first = new Thread(() -> executor.execute("a", () -> {
            own.add(Thread.currentThread());
            running.countDown();
            Patience.await(others);
            executor.execute("a", () -> own.add(Thread.currentThread()));
            executor.execute("b", () -> own.add(Thread.currentThread()));
        }));
        first.start();
        Patience.await(running);
        executor.execute("a", () -> foreign.add(Thread.currentThread()));
        others.countDown();
        Patience.join(first);
        Patience.terminate(executor);
        assertThat(foreign).hasSize(1).doesNotContain(first, Thread.currentThread());
        // the second stood behind the other's, and so may have come to the helper with it
        assertThat(own).hasSize(3).contains(first);
        assertThat(own.stream().filter(first::equals).count()).isGreaterThanOrEqualTo(2);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
    }

    @Test
    @DisplayName("a piece that is submitted inside another's work, on a pool that runs inline, is written behind it")
    void aPieceInsideAPiece() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(Runnable::run).build();
        List<Integer> written = new CopyOnWriteArrayList<>();
        OrderedOutput<Integer> output = executor.open(written::add);
        List<CompletableFuture<Integer>> inner = new ArrayList<>();
        CompletableFuture<Integer> outer = output.submit(() -> {
            inner.add(output.submit(() -> 2));
            return 1;
        });
        assertThat(Patience.get(outer)).isEqualTo(1);
        assertThat(Patience.get(inner.get(0))).isEqualTo(2);
        assertThat(written).containsExactly(1, 2);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("what has run is not kept for as long as a task runs inline that has submitted it")
    void whatHasRunIsForgotten() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        List<WeakReference<Runnable>> ran = new ArrayList<>();
        AtomicInteger reachable = new AtomicInteger(Integer.MAX_VALUE);
        AtomicInteger runs = new AtomicInteger();
        executor.execute("a", () -> {
            for (int i = 0; i < 2_000; i++) {
                CountDownLatch end = new CountDownLatch(1);
                Runnable task = new Runnable() {
                    @Override
                    public void run() {
                        runs.incrementAndGet();
                        end.countDown();
                    }
                };
                ran.add(new WeakReference<>(task));
                // behind it, the task is noted as one that may run here; and then the helper runs it
                Reservation before = executor.reserve(i);
                executor.execute(i, task);
                before.close();
                Patience.await(end);
            }
            System.gc();
            reachable.set((int) ran.stream().filter(each -> each.get() != null).count());
        });
        assertThat(runs).hasValue(2_000);
        assertThat(reachable.get()).isLessThan(200);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a batch runs on no caller's thread")
    void batchesRunElsewhere() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        List<Thread> ran = new CopyOnWriteArrayList<>();
        Batcher<String, Integer> batcher = executor.<String, Integer>batchTo(
                        (key, items) -> items.forEach(item -> ran.add(Thread.currentThread())))
                .build();
        Patience.get(batcher.submit("a", 1));
        assertThat(ran).hasSize(1).doesNotContain(Thread.currentThread());
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a refusal while another joins the batch: the batch goes on, and shutdownNow finds it")
    void aBatchWithoutItsFounder() {
        AtomicInteger handOvers = new AtomicInteger();
        List<CompletableFuture<?>> joined = new ArrayList<>();
        List<Batcher<String, Integer>> batchers = new ArrayList<>();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {
                    if (handOvers.getAndIncrement() == 0) {
                        joined.add(batchers.get(0).submit("a", 2));
                        throw new RejectedExecutionException("refused by the test");
                    }
                    task.run();
                })
                .build();
        CompletableFuture<List<Integer>> called = new CompletableFuture<>();
        batchers.add(executor.<String, Integer>batchToAsync((key, items) -> {
                    called.complete(List.copyOf(items));
                    return new CompletableFuture<>();
                })
                .build());
        assertThatThrownBy(() -> batchers.get(0).submit("a", 1)).isInstanceOf(RejectedExecutionException.class);
        assertThat(Patience.get(called)).containsExactly(2);
        assertThat(joined.get(0)).isNotDone();
        assertThat(executor.shutdownNow()).isEmpty();
        Patience.awaitTermination(executor);
        assertThat(joined.get(0)).isCancelled();
    }

    @Test
    @DisplayName("two readers whose hand-over is refused once run together")
    void readersThatWaitForEachOther() {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicBoolean refuses = new AtomicBoolean();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(task -> {
                    if (refuses.getAndSet(false)) {
                        throw new RejectedExecutionException("refused by the test");
                    }
                    threads.execute(task);
                })
                .build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        executor.submitAsync(Groups.exclusive("a"), () -> {
            started.countDown();
            return stage;
        });
        Patience.await(started);
        CountDownLatch second = new CountDownLatch(1);
        CompletableFuture<Boolean> first = executor.submit(Groups.shared("a"), () -> {
            Patience.await(second);
            return true;
        });
        executor.execute(Groups.shared("a"), second::countDown);
        refuses.set(true);
        stage.complete(1);
        assertThat(Patience.get(first)).isTrue();
        Patience.terminate(executor);
        threads.shutdown();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("20,000 flushes, one behind the other, need no stack, whether the pool runs inline or refuses")
    void flushesNeedNoStack() {
        for (boolean refuses : new boolean[] {false, true}) {
            SteppedExecutor steps = new SteppedExecutor();
            Executor pool = refuses ? steps : Runnable::run;
            OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                    .executor(pool)
                    .window(1_000_000)
                    .build();
            AtomicInteger written = new AtomicInteger();
            OrderedOutput<Integer> output = executor.open(number -> written.incrementAndGet());
            CompletableFuture<Integer> slow = new CompletableFuture<>();
            output.submitAsync(() -> slow);
            List<CompletableFuture<?>> flushes = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                output.submit(() -> 1);
                flushes.add(output.flush());
                flushes.add(output.flush());
            }
            steps.runAll();
            steps.refuse(true);
            slow.complete(0);
            Patience.terminate(executor);
            assertThat(written).hasValue(20_001);
            assertThat(flushes).allMatch(CompletableFuture::isDone);
        }
    }

    @Test
    @DisplayName("a refusal takes the submitter's own task back, and not the one that has replaced it")
    void aRefusalConcernsItsOwnTask() throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicInteger handOvers = new AtomicInteger();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {
                    if (handOvers.getAndIncrement() % 3 == 0) {
                        throw new RejectedExecutionException("refused by the test");
                    }
                    threads.execute(task);
                })
                .build();
        StripedSubmitter latest = executor.with(WhenBusy.latest("slot"));
        List<CompletableFuture<Integer>> accepted = new CopyOnWriteArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            submitters.add(new Thread(() -> {
                for (int n = 0; n < 1_500; n++) {
                    try {
                        accepted.add(latest.submit("a", ran::incrementAndGet));
                    } catch (RejectedExecutionException refused) {
                        // not accepted
                    }
                }
            }));
        }
        submitters.forEach(Thread::start);
        submitters.forEach(Patience::join);
        Patience.terminate(executor);
        threads.shutdown();
        assertThat(accepted).isNotEmpty().allMatch(CompletableFuture::isDone);
        long completed =
                accepted.stream().filter(future -> !future.isCancelled()).count();
        assertThat(ran).hasValue((int) completed);
    }

    @Test
    @DisplayName("what a task submits from its caller through a task of another executor runs on the caller, too")
    void ownTasksThroughAnotherExecutor() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        StripedExecutor other =
                StripedExecutor.builder().executor(Runnable::run).build();
        List<CompletableFuture<Thread>> inside = new ArrayList<>();
        executor.execute("a", () -> other.execute("a", () -> inside.add(executor.submit("a", Thread::currentThread))));
        assertThat(inside).hasSize(1);
        assertThat(Patience.get(inside.get(0))).isSameAs(Thread.currentThread());
        Patience.terminate(executor);
        Patience.terminate(other);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
        assertThat(other.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
    }

    @Test
    @DisplayName("executors above a key of one that runs tasks on the caller keep to that key")
    void executorsAboveAKey() {
        StripedExecutor below =
                StripedExecutor.builder().executor(Runnable::run).build();
        StripedExecutor above =
                StripedExecutor.builder().executor(below.executorFor("k")).build();
        SerialExecutor serial = new SerialExecutor(below.executorFor("k"));
        List<String> ran = new CopyOnWriteArrayList<>();
        Thread here = Thread.currentThread();
        Function<String, Runnable> task = name -> () -> {
            ran.add(name + " begins");
            assertThat(Thread.currentThread()).isSameAs(here);
            ran.add(name + " ends");
        };
        CompletableFuture<Void> all = below.submit("k", () -> {
            serial.execute(task.apply("serial"));
            above.execute("a", task.apply("above"));
            below.execute("k", task.apply("below"));
            ran.add("submitted");
            return null;
        });
        assertThat(all).isCompleted();
        assertThat(ran)
                .containsExactly(
                        "submitted",
                        "serial begins",
                        "serial ends",
                        "above begins",
                        "above ends",
                        "below begins",
                        "below ends");
        Patience.terminate(above);
        Patience.terminate(below);
        assertThat(above.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
        assertThat(below.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
    }
}
