package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each verdict of an explanation, provoked; most of them by hand-stepped tasks and a clock that the test sets. */
class ExplainTest {
    private static final Place STRIPE_A = new Place("orders", "key", "a");

    private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());
    private final HandTimer timer = new HandTimer(now::get);
    private final SteppedExecutor pool = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();
    private final List<OrderedExecutor> executors = new ArrayList<>();
    private int submitted;

    /** A task with a name, that counts itself. */
    private final class Named implements Runnable, Callable<String> {
        private final String name;
        private final Runnable body;

        Named(String name, Runnable body) {
            this.name = name;
            this.body = body;
            submitted++;
        }

        @Override
        public void run() {
            ran.incrementAndGet();
            body.run();
        }

        @Override
        public String call() {
            run();
            return name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Named named(String name) {
        return new Named(name, () -> {});
    }

    private Named failing(String name) {
        return new Named(name, () -> {
            if (ran.get() == 1) {
                throw new ThrownOnPurpose();
            }
        });
    }

    private StripedExecutorBuilder striped(String name) {
        return StripedExecutor.builder()
                .name(name)
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {});
    }

    private <E extends OrderedExecutor> E keep(E executor) {
        executors.add(executor);
        return executor;
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static List<String> verdicts(Explanation explanation) {
        return explanation.causes().stream().map(Explanation.Cause::verdict).toList();
    }

    @AfterEach
    void allRan() {
        executors.forEach(OrderedExecutor::shutdown);
        pool.runAll();
        executors.forEach(Patience::awaitTermination);
        // a retry runs a task again
        assertThat(ran.get()).isGreaterThanOrEqualTo(submitted);
    }

    @Test
    void behindATaskThatRuns() {
        StripedExecutor executor = keep(striped("orders").build());
        AtomicReference<Explanation> seen = new AtomicReference<>();
        Named audit = named("audit");
        Named book = new Named("book", () -> {
            pass(Duration.ofMillis(100));
            executor.execute("a", audit);
            pass(Duration.ofSeconds(4));
            seen.set(executor.inspect().explain("a"));
        });
        executor.execute("a", book);
        pool.runAll();
        assertThat(seen.get())
                .isEqualTo(new Explanation(
                        STRIPE_A,
                        audit,
                        Duration.ofSeconds(4),
                        List.of(new Explanation.Running(
                                STRIPE_A, book, Duration.ofMillis(4_100), Thread.currentThread(), null)),
                        0))
                .hasToString("task audit of key a of executor 'orders' has waited for 4.0 s: task book of key a"
                        + " has been running for 4.1 s on thread "
                        + Thread.currentThread().getName());
        assertThat(seen.get().root()).isInstanceOf(Explanation.Running.class);
    }

    @Test
    void withoutAListenerThereAreNoAges() {
        StripedExecutor executor =
                keep(StripedExecutor.builder().name("orders").executor(pool).build());
        AtomicReference<Explanation> seen = new AtomicReference<>();
        executor.execute("a", new Named("book", () -> {
            executor.execute("a", named("audit"));
            seen.set(executor.inspect().explain("a"));
        }));
        pool.runAll();
        assertThat(seen.get())
                .hasToString("task audit of key a of executor 'orders' waits: the task of key a"
                        + " is running on thread "
                        + Thread.currentThread().getName());
        assertThat(executor.inspect().explainStuck(Duration.ZERO)).isEmpty();
    }

    @Test
    void whatIsTheApplicationsIsShownAsOneLikes() {
        StripedExecutor executor =
                keep(striped("orders").failurePolicy(FailurePolicy.park()).build());
        executor.execute("a", failing("book"));
        pool.runAll();
        assertThat(executor.inspect().explain("a").text((kind, value) -> "<" + kind + ">"))
                .isEqualTo("task <task> of key <key> of executor 'orders' has waited for 0 ms: task <task> of key"
                        + " <key> is parked after <failure>");
        executor.control().resume("a");
    }

    @Test
    void noThreadHasComeFromAnExecutorThatWasHandedIn() {
        StripedExecutor executor = keep(striped("orders").build());
        executor.execute("a", named("book"));
        assertThat(executor.inspect().explain("a").causes())
                .containsExactly(new Explanation.NoThread(STRIPE_A, null, List.of()));
        assertThat(executor.inspect().explain("a").toString()).contains("no thread has come for it from where");
    }

    @Test
    void ofSeveralGroupsTheOneIsNamedThatIsPaused() {
        GroupedExecutor executor =
                keep(GroupedExecutor.builder().name("ledger").executor(pool).build());
        executor.control().pause("b");
        CompletableFuture<String> task = executor.submit(Groups.exclusive("a", "b"), named("move"));
        pool.runAll();
        assertThat(executor.inspect().explainTask(task).causes())
                .containsExactly(new Explanation.Paused(new Place("ledger", "key", "b")));
        executor.control().resume("b");
    }

    @Test
    void groupsAreOneOrSeveralOrAll() {
        GroupedExecutor executor =
                keep(GroupedExecutor.builder().name("ledger").executor(pool).build());
        executor.control().pause();
        assertNamed(executor, Groups.exclusive("a"), "task move of key a of executor 'ledger'");
        assertNamed(executor, Groups.within("a", 1), "task move of key a/1 of executor 'ledger'");
        assertNamed(executor, Groups.shared("a"), "task move of shared key a of executor 'ledger'");
        assertNamed(executor, Groups.shared("a", "b"), "task move of keys shared a, shared b of executor 'ledger'");
        assertNamed(executor, Groups.all(), "task move of all groups of executor 'ledger'");
        assertNamed(executor, Groups.allShared(), "task move of shared all groups of executor 'ledger'");
        assertNamed(
                executor,
                Groups.allShared().andExclusive("a"),
                "task move of keys shared all groups, a of executor 'ledger'");
        executor.control().resume();
    }

    private void assertNamed(GroupedExecutor executor, Groups groups, String text) {
        CompletableFuture<String> task = executor.submit(groups, named("move"));
        assertThat(executor.inspect().explainTask(task).toString()).startsWith(text);
    }

    @Test
    void noThreadHasComeThatLetsTheLastOfManyReadersGoOn() {
        GroupedExecutor executor = keep(GroupedExecutor.builder()
                .name("ledger")
                .executor(pool)
                .platform(timer)
                .build());
        CompletableFuture<Object> written = new CompletableFuture<>();
        executor.submitAsync(Groups.exclusive("a"), () -> written);
        pool.runAll();
        CompletableFuture<String> last = new CompletableFuture<>();
        for (int i = 0; i < 100; i++) {
            last = executor.submit(Groups.shared("a"), named("read"));
        }
        written.complete(1);
        assertThat(executor.inspect().explainTask(last).causes())
                .containsExactly(
                        new Explanation.NoThread(new Place("ledger", "keys", Groups.shared("a")), null, List.of()));
    }

    @Test
    void allThreadsAreBusyAndTheLongestIsFollowedAcrossExecutors() {
        GroupedExecutor ledger = keep(GroupedExecutor.builder()
                .name("ledger")
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        ledger.control().pause();
        StripedExecutor executor = keep(StripedExecutor.builder()
                .name("orders")
                .threads(1)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        AtomicReference<Thread> waiting = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> booked = new CompletableFuture<>();
        executor.execute("b", new Named("book", () -> {
            waiting.set(Thread.currentThread());
            CompletableFuture<String> audit = ledger.submit(Groups.exclusive("x", "y"), named("audit"));
            started.countDown();
            booked.complete(audit.join());
        }));
        Patience.await(started);
        Patience.awaitParked(waiting.get());
        executor.execute("a", named("ship"));
        pass(Duration.ofSeconds(3));
        pool.runAll();

        Explanation explanation = executor.inspect().explain("a");
        assertThat(verdicts(explanation)).containsExactly("no-thread", "awaiting-future", "paused");
        assertThat(explanation.toString())
                .isEqualTo("task ship of key a of executor 'orders' has waited for 3.0 s: 1 of 1 threads of executor"
                        + " 'orders' are busy, with task book for 3.0 s on thread "
                        + waiting.get().getName() + "; that thread waits for task audit of keys "
                        + Groups.exclusive("x", "y") + " of executor 'ledger'; executor 'ledger' is paused");
        ledger.control().resume();
        pool.runAll();
        assertThat(Patience.get(booked)).isEqualTo("audit");
    }

    @Test
    void pausedAsAWholeOrByItself() throws InterruptedException {
        StripedExecutor executor = keep(striped("orders").build());
        executor.control().pause();
        executor.execute("a", named("book"));
        pool.runAll();
        Place whole = new Place("orders", "key", null);
        assertThat(executor.inspect().explain("a").causes()).containsExactly(new Explanation.Paused(whole));
        executor.control().resume();
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("no-thread");
        pool.runAll();

        executor.control().pause("a");
        assertThat(executor.inspect().explain("a")).hasToString("key a of executor 'orders': key a is paused");
        executor.execute("a", named("ship"));
        pool.runAll();
        assertThat(executor.inspect().explain("a").causes()).containsExactly(new Explanation.Paused(STRIPE_A));
        executor.control().resume("a");
    }

    @Test
    void parkedWithItsFailure() {
        StripedExecutor executor =
                keep(striped("orders").failurePolicy(FailurePolicy.park()).build());
        Named book = failing("book");
        executor.execute("a", book);
        CompletableFuture<String> behind = executor.submit("a", named("ship"));
        pool.runAll();
        Explanation explanation = executor.inspect().explainTask(behind);
        assertThat(explanation.root()).isInstanceOfSatisfying(Explanation.Parked.class, parked -> {
            assertThat(parked.task()).isSameAs(book);
            assertThat(parked.failure()).isInstanceOf(ThrownOnPurpose.class);
        });
        assertThat(explanation.toString())
                .startsWith("task ship of key a")
                .contains("task book of key a is parked after ", ThrownOnPurpose.class.getName());
        executor.control().resume("a");
        pool.runAll();
        assertThat(behind).isDone();
    }

    @Test
    void betweenTwoAttempts() {
        StripedExecutor executor = keep(striped("orders")
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(10))
                        .multiplier(2)
                        .thenProceed())
                .build());
        executor.execute("a", failing("book"));
        pool.runAll();
        pass(Duration.ofSeconds(3));
        Explanation explanation = executor.inspect().explain("a");
        Duration pause = timer.pauses().get(0);
        assertThat(explanation.root()).isInstanceOfSatisfying(Explanation.RetryDelay.class, retry -> {
            assertThat(retry.remaining()).isEqualTo(pause.minusSeconds(3));
            assertThat(retry.failure()).isInstanceOf(ThrownOnPurpose.class);
        });
        assertThat(explanation.toString()).contains("task book of key a", "has failed with", "is tried again in ");
        timer.fire();
        pool.runAll();
    }

    @Test
    void behindAReservedPlace() {
        StripedExecutor executor = keep(striped("orders").build());
        Reservation reservation = executor.reserve("a");
        executor.execute("a", named("ship"));
        pool.runAll();
        assertThat(executor.inspect().explain("a").causes())
                .containsExactly(new Explanation.Reserved(STRIPE_A, Thread.currentThread()));
        assertThat(executor.inspect().explain("a").toString())
                .contains(
                        "is reserved by thread " + Thread.currentThread().getName() + " for a task that has not come");
        reservation.execute(named("book"));
    }

    @Test
    void aBatchThatWaitsForMoreItems() {
        StripedExecutor executor = keep(striped("orders").build());
        List<String> together = new ArrayList<>();
        Batcher<String, String> batcher = executor.<String, String>batchTo((stripe, items) -> together.addAll(items))
                .linger(Duration.ofSeconds(10))
                .build();
        CompletableFuture<Void> first = batcher.submit("a", "first");
        pool.runAll();
        pass(Duration.ofSeconds(4));
        Explanation explanation = executor.inspect().explainTask(first);
        assertThat(explanation.causes()).containsExactly(new Explanation.Lingering(STRIPE_A, Duration.ofSeconds(6)));
        assertThat(explanation)
                .hasToString("task first of key a of executor 'orders' has waited for 4.0 s: a batch of key a"
                        + " waits for more items for 6.0 s");
        assertThat(executor.inspect().explain("a")).isEqualTo(explanation);
        CompletableFuture<Void> second = batcher.submit("a", "second");
        pass(Duration.ofSeconds(1));
        assertThat(executor.inspect().explainTask(second).waited()).isEqualTo(Duration.ofSeconds(1));
        assertThat(executor.inspect().explain("a").waited()).isEqualTo(Duration.ofSeconds(5));
        pass(Duration.ofSeconds(9));
        timer.fire();
        pool.runAll();
        assertThat(together).containsExactly("first", "second");
        assertThat(first).isDone();
        assertThat(second).isDone();
    }

    @Test
    void ofAParkedBatchTheFirstItemsAreShown() {
        StripedExecutor executor =
                keep(striped("orders").failurePolicy(FailurePolicy.park()).build());
        List<Object> together = new ArrayList<>();
        Batcher<String, Object> batcher = executor.<String, Object>batchTo((stripe, items) -> {
                    together.addAll(items);
                    if (together.size() == items.size()) {
                        throw new ThrownOnPurpose();
                    }
                })
                .build();
        Object unprintable = new Object() {
            @Override
            public String toString() {
                throw new ThrownOnPurpose();
            }
        };
        batcher.submit("a", unprintable);
        for (int i = 2; i <= 12; i++) {
            batcher.submit("a", i);
        }
        pool.runAll();
        assertThat(executor.inspect().explain("a"))
                .hasToString("task [" + unprintable.getClass().getName()
                        + ", 2, 3, 4, 5, 6, 7, 8, 9, 10, and 2 more] of"
                        + " key a of executor 'orders' has waited for 0 ms: task ["
                        + unprintable.getClass().getName() + ", 2, 3, 4, 5, 6, 7, 8, 9, 10, and 2 more] of key a is"
                        + " parked after " + new ThrownOnPurpose());
        assertThat(executor.control().resume("a")).isTrue();
        pool.runAll();
        assertThat(together).hasSize(24);
    }

    @Test
    void behindAStageThatIsNotComplete() {
        StripedExecutor executor = keep(striped("orders").build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> booked = executor.submitAsync("a", () -> stage);
        CompletableFuture<String> shipped = executor.submit("a", named("ship"));
        pool.runAll();
        pass(Duration.ofSeconds(90));
        assertThat(executor.inspect().explainTask(shipped).root()).isInstanceOf(Explanation.Incomplete.class);
        assertThat(executor.inspect().explainTask(booked).toString())
                .endsWith(" has returned a stage that is not complete (1 min 30 s)");
        stage.complete("booked");
        pool.runAll();
        assertThat(executor.inspect().explainTask(shipped).causes())
                .containsExactly(new Explanation.Idle(new Place("orders", "key", null)));
    }

    @Test
    void aStageThatIsAnotherTaskIsFollowed() {
        StripedExecutor executor = keep(striped("orders").build());
        StripedExecutor other = keep(striped("audits").build());
        other.control().pause("x");
        CompletableFuture<String> audit = other.submit("x", named("audit"));
        CompletableFuture<String> booked = executor.submitAsync("a", () -> audit);
        pool.runAll();
        assertThat(verdicts(executor.inspect().explainTask(booked))).containsExactly("incomplete", "paused");
        other.control().resume("x");
        pool.runAll();
        assertThat(booked).isCompletedWithValue("audit");
    }

    @Test
    void nothingHoldsItUp() {
        StripedExecutor executor = keep(striped("orders").build());
        assertThat(executor.inspect().explain("a").causes()).containsExactly(new Explanation.Idle(STRIPE_A));
        assertThat(executor.inspect().explain("a")).hasToString("key a of executor 'orders': nothing holds it up");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.inspect().explainTask(new CompletableFuture<>()))
                .withMessageContaining("not returned by a submission");
    }

    @Test
    @DisplayName("the future of a completion service has no place of its own: it is not explained before it is done")
    void futureOfACompletionService() throws Exception {
        StripedExecutor executor = keep(striped("orders").build());
        AtomicReference<Future<String>> future = new AtomicReference<>();
        Runnable assertRefused = () -> assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.inspect().explainTask(future.get()))
                .withMessageContaining("an ExecutorCompletionService has wrapped; if its task has a key");
        future.set(new ExecutorCompletionService<String>(executor.asExecutorService()).submit(() -> {
            assertRefused.run();
            return "done";
        }));
        assertRefused.run();
        pool.runAll();
        assertThat(future.get().get()).isEqualTo("done");
        assertThat(executor.inspect().explainTask(future.get()).root()).isInstanceOf(Explanation.Idle.class);
    }

    @Test
    @DisplayName("a future whose task was taken back just now waits for nothing, although it is not done yet")
    void futureThatIsAboutToBeDone() {
        TaskFuture<String> future = new TaskFuture.Call<>(() -> "never");
        assertThat(future.take()).isNotNull();
        assertThat(Reasons.ofTask(future, false)).isNull();
    }

    /** Runs a task that submits to a full executor, on a thread of its own, and returns when that thread waits. */
    private StripedExecutor submitterThatWaits(Runnable submission, AtomicReference<Thread> thread) {
        StripedExecutor executor = keep(StripedExecutor.builder()
                .name("orders")
                .threads(1)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        CountDownLatch started = new CountDownLatch(1);
        executor.execute("a", new Named("book", () -> {
            thread.set(Thread.currentThread());
            started.countDown();
            submission.run();
        }));
        Patience.await(started);
        Patience.awaitParked(thread.get());
        return executor;
    }

    @Test
    void aSubmitterThatWaitsForRoom() {
        StripedExecutor full = keep(striped("full")
                .capacity(1)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build());
        full.execute("x", named("first"));
        StripedExecutor executor =
                submitterThatWaits(() -> full.execute("y", named("second")), new AtomicReference<>());
        Explanation explanation = executor.inspect().explain("a");
        assertThat(verdicts(explanation)).containsExactly("running", "no-room", "no-thread");
        assertThat(explanation.toString())
                .contains("; that thread waits for room in executor 'full', whose capacity is 1; ");
        runUntilTerminated(executor);
    }

    @Test
    @DisplayName("a full executor that has threads does not lack one: the explanation names what its tasks wait for")
    void aSubmitterThatWaitsForRoomThatNoThreadMakes() {
        StripedExecutor full = keep(striped("full")
                .capacity(2)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build());
        full.control().pause("x");
        full.execute("x", named("first"));
        full.execute("x", named("second"));
        pool.runAll();
        StripedExecutor executor = submitterThatWaits(() -> full.execute("z", named("third")), new AtomicReference<>());
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("running", "no-room", "paused");
        full.control().resume("x");
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("running", "no-room", "no-thread");
        runUntilTerminated(executor);
    }

    @Test
    @DisplayName("room that another submission has taken while it waits for more is named, too")
    void aSubmitterThatWaitsBehindAnother() {
        StripedExecutor full = keep(StripedExecutor.builder()
                .name("full")
                .threads(1)
                .keyCapacity(1)
                .capacity(1)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build());
        full.control().pause("x");
        full.execute("x", named("first"));
        Thread other = new Thread(() -> full.execute("y", named("second")));
        other.start();
        Patience.awaitParked(other);
        StripedExecutor executor = submitterThatWaits(() -> full.execute("y", named("third")), new AtomicReference<>());
        assertThat(executor.inspect().explain("a").causes())
                .element(1)
                .isEqualTo(new Explanation.NoRoom(new Place("full", "key", "y"), 1));
        full.control().resume("x");
        Patience.terminate(executor);
        Patience.terminate(full);
        assertThat(full.inspect().stats().completed()).isEqualTo(3);
    }

    @Test
    void aSubmitterThatWaitsForRoomInAStripe() {
        StripedExecutor full = keep(striped("full")
                .keyCapacity(1)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build());
        full.control().pause("x");
        full.execute("x", named("first"));
        pool.runAll();
        StripedExecutor executor =
                submitterThatWaits(() -> full.execute("x", named("second")), new AtomicReference<>());
        assertThat(executor.inspect().explain("a").causes())
                .element(1)
                .isEqualTo(new Explanation.NoRoom(new Place("full", "key", "x"), 1));
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("running", "no-room", "paused");
        full.control().resume("x");
        runUntilTerminated(executor);
    }

    @Test
    void aSubmitterThatWaitsForRoomInAGroup() {
        GroupedExecutor full = keep(GroupedExecutor.builder()
                .name("full")
                .executor(pool)
                .platform(timer)
                .keyCapacity(1)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build());
        full.execute(Groups.exclusive("x", "y"), named("first"));
        StripedExecutor executor = submitterThatWaits(
                () -> full.execute(Groups.exclusive("x", "z"), named("second")), new AtomicReference<>());
        assertThat(executor.inspect().explain("a").causes())
                .element(1)
                .isEqualTo(new Explanation.NoRoom(new Place("full", "key", "x"), 1));
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("running", "no-room", "no-thread");
        runUntilTerminated(executor);
    }

    @Test
    void aSubmitterThatWaitsForTheWindow() {
        OrderedOutputExecutor frames = keep(output().window(1).build());
        List<String> written = new ArrayList<>();
        OrderedOutput<String> output =
                frames.<String>outputTo(written::add).name("film").open();
        CompletableFuture<String> first = output.submit(named("first"));
        AtomicReference<CompletableFuture<String>> second = new AtomicReference<>();
        StripedExecutor executor =
                submitterThatWaits(() -> second.set(output.submit(named("second"))), new AtomicReference<>());
        assertThat(executor.inspect().explain("a").causes())
                .element(1)
                .isEqualTo(new Explanation.WindowFull(new Place("frames", "output", "film"), 1));
        assertThat(verdicts(executor.inspect().explain("a"))).containsExactly("running", "window-full", "no-thread");
        runUntilTerminated(executor);
        assertThat(first).isCompletedWithValue("first");
        assertThat(written).first().isEqualTo("first");
    }

    /** Steps the pool until a submitter that has waited is done. */
    private void runUntilTerminated(StripedExecutor submitter) {
        pool.runAll();
        Patience.terminate(submitter);
        pool.runAll();
    }

    private OrderedOutputExecutorBuilder output() {
        return OrderedOutputExecutor.builder()
                .name("frames")
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {});
    }

    @Test
    void aPieceThatIsFinishedWaitsForTheOnesBeforeIt() {
        OrderedOutputExecutor frames = keep(output().build());
        OrderedOutput<String> film =
                frames.<String>outputTo(frame -> {}).name("film").open();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = film.submitAsync(() -> stage);
        CompletableFuture<String> second = film.submit(named("second"));
        assertThat(verdicts(frames.inspect().explainTask(second))).containsExactly("no-thread");
        assertThat(verdicts(frames.inspect().explain(film))).containsExactly("no-thread");
        pool.runAll();
        pass(Duration.ofSeconds(2));
        assertThat(frames.inspect().explainTask(second).causes())
                .singleElement()
                .satisfies(cause -> {
                    assertThat(cause).isInstanceOf(Explanation.Incomplete.class);
                    assertThat(cause.place()).isEqualTo(new Place("frames", "output", "film"));
                });
        assertThat(frames.inspect().explain(film).root()).isInstanceOf(Explanation.Incomplete.class);
        assertThat(frames.inspect().explainStuck(Duration.ofSeconds(2))).hasSize(1);
        assertThat(frames.inspect().explainStuck(Duration.ofSeconds(3))).isEmpty();
        stage.complete("first");
        pool.runAll();
        assertThat(second).isCompletedWithValue("second");
        assertThat(first).isCompletedWithValue("first");
        assertThat(frames.inspect().explainTask(second).root()).isInstanceOf(Explanation.Idle.class);
        assertThat(frames.inspect().explain(film).root()).isInstanceOf(Explanation.Idle.class);
    }

    @Test
    void aPieceWaitsForItsNextAttemptAndForOthersToBeWorkedOn() {
        OrderedOutputExecutor frames = keep(output().concurrency(1)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(10))
                        .multiplier(2)
                        .thenProceed())
                .build());
        OrderedOutput<String> film =
                frames.<String>outputTo(frame -> {}).name("film").open();
        CompletableFuture<String> first = film.submit(failing("first"));
        CompletableFuture<String> second = film.submit(named("second"));
        pool.runAll();
        pass(Duration.ofSeconds(1));
        Duration pause = timer.pauses().get(0);
        assertThat(frames.inspect().explainTask(first).root())
                .isInstanceOfSatisfying(Explanation.RetryDelay.class, retry -> {
                    assertThat(retry.remaining()).isEqualTo(pause.minusSeconds(1));
                    assertThat(retry.failure()).isInstanceOf(ThrownOnPurpose.class);
                });
        assertThat(verdicts(frames.inspect().explainTask(second)))
                .containsExactly("concurrency-reached", "retry-delay");
        frames.control().pause();
        timer.fire();
        pool.runAll();
        assertThat(verdicts(frames.inspect().explainTask(first))).containsExactly("paused");
        frames.control().resume();
        pool.runAll();
        assertThat(second).isCompletedWithValue("second");
    }

    @Test
    void throughTheGroupsOfTasksThatAreQueued() {
        GroupedExecutor bank = keep(GroupedExecutor.builder()
                .name("bank")
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = bank.submitAsync(Groups.exclusive("a", "b"), () -> stage);
        Named second = named("second");
        bank.execute(Groups.exclusive("b", "c"), second);
        CompletableFuture<String> third = bank.submit(Groups.exclusive("c", "d"), named("third"));
        pool.runAll();
        Explanation explanation = bank.inspect().explainTask(third);
        assertThat(verdicts(explanation)).containsExactly("queued", "incomplete");
        assertThat(explanation.causes().get(0))
                .isEqualTo(new Explanation.Queued(
                        new Place("bank", "keys", Groups.exclusive("b", "c")), second, Duration.ZERO));
        assertThat(verdicts(bank.inspect().explain("d"))).containsExactly("queued", "incomplete");
        assertThat(verdicts(bank.inspect().explain("a"))).containsExactly("incomplete");
        assertThat(verdicts(bank.inspect().explain("z"))).containsExactly("idle");
        bank.control().pause("c");
        stage.complete("done");
        pool.runAll();
        assertThat(first).isCompletedWithValue("done");
        assertThat(verdicts(bank.inspect().explainTask(third))).containsExactly("paused");
        bank.control().resume("c");
        pool.runAll();
        assertThat(third).isCompletedWithValue("third");
        bank.control().pause("z");
        assertThat(verdicts(bank.inspect().explain("z"))).containsExactly("paused");
        bank.control().resume("z");
    }

    @Test
    void aLongWayIsCutInTheMiddle() {
        GroupedExecutor bank = keep(GroupedExecutor.builder()
                .name("bank")
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        CompletableFuture<String> last = new CompletableFuture<>();
        int tasks = 10_000;
        for (int i = 0; i < tasks; i++) {
            last = bank.submit(Groups.exclusive(i, i + 1), named("task" + i));
        }
        Explanation explanation = bank.inspect().explainTask(last);
        // all but itself and the first are queued before it
        assertThat(explanation.omitted()).isEqualTo(tasks - 2 - 16);
        assertThat(verdicts(explanation)).hasSize(17).endsWith("no-thread");
        assertThat(explanation.toString()).contains("; 9982 more tasks wait like this; no thread has come for it");
        pool.runAll();
        assertThat(last).isCompletedWithValue("task9999");
    }

    @Test
    void tasksThatSayWhatTheyAreCompatibleWith() {
        GroupedExecutor bank = keep(GroupedExecutor.builder()
                .name("bank")
                .executor(pool)
                .platform(timer)
                .listener(new TaskListener() {})
                .build());
        AtomicReference<Explanation> seen = new AtomicReference<>();
        final class Alone implements OrderedTask {
            private final Named named;

            Alone(Named named) {
                this.named = named;
            }

            @Override
            public boolean isCompatible(OrderedTask that) {
                return false;
            }

            @Override
            public void run() {
                named.run();
            }
        }
        var view = bank.asExecutorService();
        AtomicReference<java.util.concurrent.Future<?>> second = new AtomicReference<>();
        view.execute(new Alone(new Named("first", () -> seen.set(bank.inspect().explainTask(second.get())))));
        second.set(view.submit((Runnable) new Alone(named("second"))));
        pool.runAll();
        assertThat(verdicts(seen.get())).containsExactly("running");
    }

    @Test
    @DisplayName("a task that was dropped holds up its stripe until its dependent actions have run")
    void behindATaskThatWasDropped() {
        StripedExecutor executor = keep(striped("orders").keyCapacity(1).build());
        List<String> seen = new ArrayList<>();
        executor.submit("a", () -> "dropped").whenComplete((nothing, dropped) -> {
            seen.add(executor.inspect().explain("a").toString());
            executor.control().setKeyCapacity(2);
            executor.execute("a", named("ship"));
            seen.add(executor.inspect().explain("a").toString());
        });
        executor.with(Overflow.discardOldest()).execute("a", named("audit"));
        String thread = Thread.currentThread().getName();
        assertThat(seen)
                .containsExactly(
                        "key a of executor 'orders': the task of key a is running on thread " + thread,
                        "task ship of key a of executor 'orders' has waited for 0 ms: the task of key a"
                                + " is running on thread " + thread);
    }

    @Test
    @DisplayName("an item that was dropped holds up what is behind its batch until its dependent actions have run")
    void behindAnItemThatWasDropped() {
        StripedExecutor executor = keep(striped("orders").keyCapacity(2).build());
        List<String> ranInBatch = new ArrayList<>();
        Batcher<String, String> batcher = executor.<String, String>batchTo((key, items) -> ranInBatch.addAll(items))
                .build();
        List<String> seen = new ArrayList<>();
        batcher.submit("a", "dropped").whenComplete((nothing, dropped) -> {
            executor.control().setKeyCapacity(3);
            executor.execute("a", named("ship"));
            pool.runAll();
            seen.addAll(ranInBatch);
            seen.add(executor.inspect().explain("a").toString());
            seen.add("stuck: " + executor.inspect().explainStuck(Duration.ZERO));
        });
        CompletableFuture<Void> kept = batcher.submit("a", "kept");
        executor.with(Overflow.discardOldest()).execute("a", named("audit"));
        assertThat(kept).isCompleted();
        assertThat(seen)
                .containsExactly(
                        "kept",
                        "task ship of key a of executor 'orders' has waited for 0 ms: the task of key a"
                                + " is running on thread "
                                + Thread.currentThread().getName(),
                        "stuck: []");
    }

    @Test
    @DisplayName("of two threads that drop items of a batch, the one that still ends its item is named")
    void behindTwoItemsThatWereDropped() {
        StripedExecutor executor = keep(striped("orders").keyCapacity(3).build());
        List<String> ranInBatch = new ArrayList<>();
        Batcher<String, String> batcher = executor.<String, String>batchTo((key, items) -> ranInBatch.addAll(items))
                .build();
        List<String> seen = new ArrayList<>();
        batcher.submit("a", "first").whenComplete((nothing, dropped) -> {
            executor.control().setKeyCapacity(2);
            CompletableFuture.runAsync(
                            () -> executor.with(Overflow.discardOldest()).execute("a", named("ship")),
                            task -> new Thread(task, "over already").start())
                    .join();
            pool.runAll();
            seen.add(executor.inspect().explain("a").toString());
        });
        CompletableFuture<Void> second = batcher.submit("a", "second");
        CompletableFuture<Void> kept = batcher.submit("a", "kept");
        executor.with(Overflow.discardOldest()).execute("a", named("audit"));
        assertThat(second).isCancelled();
        assertThat(kept).isCompleted();
        assertThat(ranInBatch).containsExactly("kept");
        assertThat(seen)
                .containsExactly("task ship of key a of executor 'orders' has waited for 0 ms: the task of key a"
                        + " is running on thread " + Thread.currentThread().getName());
    }

    @Test
    void whatIsStuck() {
        StripedExecutor executor =
                keep(striped("orders").failurePolicy(FailurePolicy.park()).build());
        executor.execute("a", failing("book"));
        executor.execute("a", named("ship"));
        pool.runAll();
        executor.execute("b", named("other"));
        pass(Duration.ofSeconds(30));
        assertThat(executor.inspect().explainStuck(Duration.ofSeconds(30)))
                .extracting(explanation ->
                        explanation.place().key() + " " + explanation.root().verdict())
                .containsExactlyInAnyOrder("a parked", "b no-thread");
        assertThat(executor.inspect().explainStuck(Duration.ofSeconds(31))).isEmpty();
        pool.runAll();
        assertThat(executor.inspect().explainStuck(Duration.ZERO)).hasSize(1);
        executor.control().resume("a");
        pool.runAll();
        assertThat(executor.inspect().explainStuck(Duration.ZERO)).isEmpty();
    }

    @Test
    @DisplayName("a task that begins at this instant is not stuck: it has no age yet")
    void whatBegins() {
        AtomicReference<StripedExecutor> looksAt = new AtomicReference<>();
        List<List<Explanation>> stuck = new ArrayList<>();
        // the time is read between the change of the place and the start of the attempt, among others
        HandTimer looking = new HandTimer(() -> {
            StripedExecutor executor = looksAt.getAndSet(null);
            if (executor != null) {
                stuck.add(executor.inspect().explainStuck(Duration.ofSeconds(1)));
                looksAt.set(executor);
            }
            return Duration.ofHours(1).toNanos();
        });
        StripedExecutor executor = keep(striped("orders").platform(looking).build());
        executor.execute("a", named("book"));
        looksAt.set(executor);
        pool.runAll();
        assertThat(stuck).isNotEmpty().allMatch(List::isEmpty);
    }

    @Test
    @DisplayName("a task that ends while its reason is looked for is not stuck")
    void whatHasEnded() {
        AtomicInteger looks = new AtomicInteger(Integer.MAX_VALUE);
        // the time is read for the look, for the age of the task, and for its explanation
        HandTimer ending = new HandTimer(() -> {
            if (looks.decrementAndGet() == 0) {
                pool.runAll();
            }
            return Duration.ofHours(1).toNanos();
        });
        StripedExecutor executor = keep(striped("orders").platform(ending).build());
        executor.execute("a", named("book"));
        looks.set(3);
        assertThat(executor.inspect().explainStuck(Duration.ZERO)).isEmpty();
        assertThat(executor.inspect().stats().completed())
                .as("ended during the look")
                .isEqualTo(1);
    }

    @Test
    void aTaskThatWouldWaitForItselfIsExplained() {
        StripedExecutor executor = keep(striped("orders").build());
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        executor.execute("a", new Named("book", () -> {
            try {
                executor.submit("a", named("ship")).join();
            } catch (SelfWaitException e) {
                thrown.set(e);
            }
        }));
        pool.runAll();
        assertThat(thrown.get())
                .hasMessageEndingWith(". Explanation: task ship of key a of executor 'orders' has waited for 0 ms: task"
                        + " book of key a has been running for 0 ms on thread "
                        + Thread.currentThread().getName());
    }
}
