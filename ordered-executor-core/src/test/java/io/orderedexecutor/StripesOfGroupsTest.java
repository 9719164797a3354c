package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.Rejections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stripe is a group that a task has exclusively: both faces of one executor submit to the same keys. */
class StripesOfGroupsTest {
    private static final int CALLS = 2_000;

    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new ArrayList<>();
    private final GroupedExecutor groups =
            GroupedExecutor.builder().name("accounts").executor(steps).build();
    private final StripedExecutor stripes = groups.stripes();

    /** Not thread-safe on purpose. */
    private long balance;

    private Runnable task(String name) {
        return () -> ran.add(name);
    }

    private void assertRan(String... expected) {
        steps.runAll();
        assertThat(ran).containsExactly(expected);
        assertThat(groups.inspect().stats().queued()).isZero();
        groups.close();
        assertThat(groups.isTerminated()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stripes and groups", "with barriers", "when busy"})
    @DisplayName("no update of one account is lost, whichever face it was submitted to")
    void noLostUpdates(String kind) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(CALLS);
        Runnable book = () -> {
            balance++;
            ended.countDown();
        };
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(4).build()) {
            Thread[] submitters = new Thread[4];
            for (int t = 0; t < submitters.length; t++) {
                int submitter = t;
                submitters[t] = new Thread(() -> {
                    for (int i = submitter; i < CALLS; i += submitters.length) {
                        if (i % 2 == 0) {
                            executor.execute(Groups.exclusive("alice", "bob" + i % 7), book);
                        } else if (kind.equals("with barriers") && i % 101 == 0) {
                            executor.execute(Groups.all(), book);
                        } else if (kind.equals("when busy")) {
                            executor.stripes().with(WhenBusy.latest(i)).execute("alice", book);
                        } else {
                            executor.stripes().execute("alice", book);
                        }
                    }
                });
                submitters[t].start();
            }
            for (Thread submitter : submitters) {
                Patience.join(submitter);
            }
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(balance).isEqualTo(CALLS);
    }

    @Test
    void tasksOfBothFacesRunInTheOrderOfTheirSubmission() {
        stripes.execute("a", task("stripe 1"));
        groups.execute(Groups.exclusive("a", "b"), task("rollup"));
        stripes.execute("b", task("stripe 2"));
        groups.execute(Groups.exclusive("b").andShared("a"), task("shared"));
        stripes.execute("a", task("stripe 3"));
        groups.execute(Groups.all(), task("barrier"));
        stripes.execute("c", task("stripe 4"));
        assertRan("stripe 1", "rollup", "stripe 2", "shared", "stripe 3", "barrier", "stripe 4");
    }

    /** Submits a task that fails, in one of the ways to submit a task of one key. */
    private enum Way {
        EXECUTE,
        ASYNC,
        LATEST,
        ITEM,
        RESERVATION,
        ONE_GROUP,
        RESERVATION_OF_ONE_GROUP;

        void submit(GroupedExecutor executor, String key, Runnable task) {
            StripedExecutor stripes = executor.stripes();
            switch (this) {
                case EXECUTE -> stripes.execute(key, task);
                case ASYNC -> stripes.submitAsync(key, () -> CompletableFuture.runAsync(task, Runnable::run));
                case LATEST -> stripes.with(WhenBusy.latest("slot")).execute(key, task);
                case ITEM ->
                    stripes.<String, Runnable>batchTo((stripe, tasks) -> tasks.forEach(Runnable::run))
                            .build()
                            .submit(key, task);
                case RESERVATION -> stripes.reserve(key).execute(task);
                case ONE_GROUP -> executor.execute(Groups.exclusive(key), task);
                case RESERVATION_OF_ONE_GROUP ->
                    executor.reserve(Groups.exclusive(key)).execute(task);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a task of one key is shown with that key, whichever face it was submitted to, and however")
    void oneKeyIsShownAsItself(boolean isListenedTo) {
        List<Object> heard = new ArrayList<>();
        GroupedExecutorBuilder builder =
                GroupedExecutor.builder().name("accounts").executor(steps).failurePolicy(FailurePolicy.park());
        if (isListenedTo) {
            builder.listener(new TaskListener() {
                @Override
                public void parked(@Nullable Object key, Object task, Throwable failure) {
                    heard.add(key);
                }
            });
        }
        GroupedExecutor executor = builder.build();
        List<String> keys = new ArrayList<>();
        List<Object> running = new ArrayList<>();
        for (Way way : Way.values()) {
            String key = way.name();
            keys.add(key);
            way.submit(executor, key, () -> {
                ran.add(key);
                running.add(executor.inspect().runningTasks().get(0).key());
                throw new ThrownOnPurpose();
            });
        }
        assertThat(executor.inspect().queuedTasks(9))
                .extracting(task -> task.key())
                .containsExactlyInAnyOrderElementsOf(keys);
        steps.runAll();
        assertThat(running).isEqualTo(keys);
        assertThat(ran).isEqualTo(keys);
        assertThat(heard).isEqualTo(isListenedTo ? keys : List.of());
        List<Object> parked = new ArrayList<>();
        for (ParkedTask task : executor.inspect().parkedTasks()) {
            parked.add(task.key());
            Explanation explanation = executor.inspect().explain(task.key());
            assertThat(List.of(explanation.place(), explanation.root().place()))
                    .containsOnly(new Explanation.Place("accounts", "key", task.key()));
            assertThat(executor.control().skip(task.key())).isTrue();
        }
        assertThat(parked).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(executor.inspect().stats().failed()).isEqualTo(keys.size());
        Patience.terminate(executor);
    }

    @Test
    void bothAreOneExecutor() {
        assertThat(groups.stripes()).isSameAs(stripes);
        assertThat(stripes.name()).isEqualTo("accounts");
        stripes.execute("a", task("a"));
        assertThat(groups.inspect().snapshot("a")).isEqualTo(stripes.inspect().snapshot("a"));
        assertThat(groups.inspect().stats()).isEqualTo(stripes.inspect().stats());
        groups.control().pause("a");
        steps.runAll();
        assertThat(ran).isEmpty();
        assertThat(stripes.control().resume("a")).isTrue();
        stripes.shutdown();
        assertThat(groups.isShutdown()).isTrue();
        assertThatThrownBy(() -> groups.execute(Groups.exclusive("a"), task("late")))
                .isInstanceOf(RejectedExecutionException.class);
        assertRan("a");
    }

    @Test
    void aKeyThatATaskOfSeveralKeysWaitsForIsBusy() {
        stripes.execute("b", task("b"));
        groups.execute(Groups.exclusive("a", "b"), task("rollup"));
        assertThat(stripes.with(WhenBusy.refuse()).submit("a", () -> ran.add("refused")))
                .isCompletedExceptionally();
        groups.execute(Groups.all(), task("barrier"));
        assertThat(stripes.with(WhenBusy.refuse()).submit("c", () -> ran.add("refused")))
                .isCompletedExceptionally();
        assertThat(stripes.inspect().whenBusyStats().refused()).isEqualTo(2);
        assertRan("b", "rollup", "barrier");
    }

    @Test
    void theLatestDoesNotPassABarrierAndReplacesWhatCameAfterIt() {
        StripedSubmitter latest = stripes.with(WhenBusy.latest("refresh"));
        stripes.execute("a", task("first"));
        latest.execute("a", task("before"));
        groups.execute(Groups.all(), task("barrier"));
        latest.execute("a", task("replaced"));
        latest.execute("a", task("after"));
        assertThat(stripes.inspect().whenBusyStats().replaced()).isEqualTo(1);
        assertRan("first", "before", "barrier", "after");
    }

    @Test
    void whatSharesAllKeysIsNotPassedEither() {
        StripedSubmitter latest = stripes.with(WhenBusy.latest("refresh"));
        stripes.execute("a", task("first"));
        latest.execute("a", task("before"));
        groups.execute(Groups.allShared(), task("report"));
        latest.execute("a", task("after"));
        assertRan("first", "before", "report", "after");
    }

    @Test
    void anItemDoesNotJoinABatchThatABarrierFollows() {
        Batcher<String, String> batcher = stripes.<String, String>batchTo((key, items) -> ran.add(key + items))
                .build();
        stripes.execute("a", task("first"));
        batcher.submit("a", "1");
        batcher.submit("a", "2");
        groups.execute(Groups.all(), task("barrier"));
        batcher.submit("a", "3");
        batcher.submit("a", "4");
        assertRan("first", "a[1, 2]", "barrier", "a[3, 4]");
    }

    @Test
    void aReservedStripeHoldsUpTheGroup() {
        try (Reservation place = stripes.reserve("a")) {
            groups.execute(Groups.exclusive("a"), task("behind"));
            steps.runAll();
            assertThat(ran).isEmpty();
            place.execute(task("reserved"));
        }
        assertRan("reserved", "behind");
    }

    @Test
    void aSubmitterWithAModeReservesNoPlace() {
        assertThatThrownBy(() -> stripes.with(WhenBusy.latest("a")).reserve("a"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("a reserved place waits in the queue of its stripe, and cannot replace a task; "
                        + "reserve it with WhenBusy.queue(), or with the executor itself");
        assertThatThrownBy(() -> stripes.with(WhenBusy.interrupt("a")).reserve("a"))
                .hasMessageContaining("and cannot interrupt a task; reserve it");
        assertThatThrownBy(() -> stripes.with(WhenBusy.refuse()).reserve("a"))
                .hasMessageContaining("and cannot be refused; reserve it");
        stripes.with(WhenBusy.latest("a")).with(WhenBusy.queue()).reserve("a").close();
        assertThat(groups.inspect().reserved().count()).isZero();
        assertRan();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void policiesOfASubmitterAreItsOwn(boolean inKey) throws InterruptedException {
        GroupedExecutorBuilder builder = GroupedExecutor.builder();
        GroupedExecutor full = (inKey ? builder.keyCapacity(1) : builder.capacity(1))
                .executor(steps)
                .overflow(Overflow.block(Duration.ofDays(1)))
                .build();
        full.stripes().execute("a", task("fills it"));
        assertThatThrownBy(() -> full.stripes().with(Overflow.reject()).execute("a", task("rejected")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> full.with(Overflow.reject()).submit(Groups.exclusive("a"), () -> ran.add("rejected")))
                .isInstanceOf(RejectedExecutionException.class);
        full.stripes().with(Overflow.discardOldest()).execute("a", task("kept"));
        steps.runAll();
        assertThat(full.awaitIdle(Duration.ofSeconds(60))).isTrue();
        assertThat(ran).containsExactly("kept");
        assertThat(full.inspect().stats().cancelled()).isEqualTo(1);
        Rejections rejections = full.inspect().rejections();
        assertThat(inKey ? rejections.keyCapacity() : rejections.capacity()).isEqualTo(2);
        full.close();
    }
}
