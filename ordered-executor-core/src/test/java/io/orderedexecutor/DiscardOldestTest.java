package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@link Overflow#discardOldest()}: a submission that finds nothing to drop, or others that wait, is rejected. */
class DiscardOldestTest {
    private static final Overflow BLOCK = Overflow.block(Duration.ofDays(1));

    private final CountDownLatch go = new CountDownLatch(1);
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final List<FutureTask<?>> blocked = new ArrayList<>();

    /** With one thread and room for one task of each key; a task of a key runs until the end of the test. */
    private StripedExecutor busyWith(String key, StripedExecutorBuilder builder) {
        StripedExecutor executor = builder.threads(1).keyCapacity(1).build();
        CountDownLatch runs = new CountDownLatch(1);
        executor.execute(key, () -> {
            runs.countDown();
            Patience.await(go);
            ran.add("held");
        });
        Patience.await(runs);
        return executor;
    }

    private void block(Runnable submission) {
        FutureTask<?> waits = new FutureTask<>(submission, null);
        blocked.add(waits);
        Thread thread = new Thread(waits);
        thread.start();
        Patience.awaitParked(thread);
    }

    /** What a submission throws; on a thread of its own, since it may hang. */
    private static List<Class<?>> thrownBy(Runnable submission) {
        List<Class<?>> thrown = new ArrayList<>();
        FutureTask<?> submits = new FutureTask<>(
                () -> {
                    try {
                        submission.run();
                    } catch (RejectedExecutionException e) {
                        thrown.add(e.getClass());
                    }
                },
                null);
        Thread thread = new Thread(submits);
        thread.setDaemon(true);
        thread.start();
        Patience.get(submits);
        return thrown;
    }

    private void finish(OrderedExecutor executor, int tasks) {
        go.countDown();
        blocked.forEach(Patience::get);
        Patience.terminate(executor);
        assertThat(ran).hasSize(tasks).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("a submission that waits for the executor has the room of its stripe: another one there is rejected")
    void theRoomOfTheStripeIsKept() {
        StripedExecutor executor =
                busyWith("x", StripedExecutor.builder().capacity(1).overflow(BLOCK));
        executor.execute("x", () -> ran.add("x"));
        block(() -> executor.execute("a", () -> ran.add("a")));
        assertThat(thrownBy(() -> executor.with(Overflow.discardOldest()).execute("a", () -> ran.add("newer"))))
                .containsExactly(RejectedExecutionException.class);
        finish(executor, 3);
        assertThat(ran).containsExactly("held", "x", "a");
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
    }

    @Test
    @DisplayName("if more is queued than a lowered capacity, nothing is dropped in vain: the new task is rejected")
    void nothingIsDroppedInVain() {
        StripedExecutor executor =
                busyWith("x", StripedExecutor.builder().capacity(4).overflow(Overflow.discardOldest()));
        List<CompletableFuture<Boolean>> queued = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d")) {
            queued.add(executor.submit(key, () -> ran.add(key)));
        }
        executor.control().setCapacity(2);
        assertThatThrownBy(() -> executor.execute("a", () -> ran.add("newer")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("its capacity is 2 queued tasks, and the keys of this task have too few to drop");
        assertThat(queued).noneMatch(CompletableFuture::isDone);
        queued.get(2).cancel(false);
        queued.get(3).cancel(false);
        assertThat(thrownBy(() -> executor.execute("a", () -> ran.add("newer"))))
                .isEmpty();
        assertThat(queued.get(0)).isCancelled();
        finish(executor, 3);
        assertThat(ran).containsExactlyInAnyOrder("held", "b", "newer");
    }

    @Test
    @DisplayName("nor if the key has more than its lowered capacity, or a failed task was put back there")
    void nothingIsDroppedInVainInAKey() {
        SteppedExecutor steps = new SteppedExecutor();
        HandTimer timer = new HandTimer();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .platform(timer)
                .keyCapacity(2)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .thenProceed())
                .overflow(Overflow.discardOldest())
                .build();
        Reservation place = executor.reserve("a");
        CompletableFuture<Boolean> queued = executor.submit("a", () -> ran.add("queued"));
        executor.control().setKeyCapacity(1);
        assertTooFewToDrop(executor, "a", 1);
        assertThat(queued).isNotDone();
        place.close();
        executor.execute("a", () -> ran.add("newer"));
        assertThat(queued).isCancelled();

        steps.runAll();
        AtomicInteger attempts = new AtomicInteger();
        AtomicReference<Reservation> beside = new AtomicReference<>();
        CompletableFuture<Boolean> failing = executor.submit("b", () -> {
            if (attempts.incrementAndGet() == 1) {
                beside.set(executor.reserve("b"));
                throw new ThrownOnPurpose();
            }
            return ran.add("failing");
        });
        steps.runAll();
        assertTooFewToDrop(executor, "b", 1);
        assertThat(failing).isNotDone();
        beside.get().close();
        timer.fire();
        steps.runAll();
        finish(executor, 2);
        assertThat(ran).containsExactly("newer", "failing");
    }

    private static GroupedExecutor groupsWithRoomForOne(SteppedExecutor steps) {
        return GroupedExecutor.builder()
                .executor(steps)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .build();
    }

    @Test
    @DisplayName("what stands in a full group without room there is not dropped: tasks within it, and barriers")
    void onlyWhatHasRoomIsDropped() {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = groupsWithRoomForOne(steps);
        List<CompletableFuture<Boolean>> within = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            within.add(executor.submit(Groups.within("bank", i), () -> ran.add("within")));
        }
        within.add(executor.submit(Groups.allShared().andExclusive("bank"), () -> ran.add("barrier")));
        CompletableFuture<Boolean> oldest = executor.submit(Groups.exclusive("bank"), () -> ran.add("oldest"));
        executor.execute(Groups.exclusive("bank"), () -> ran.add("newer"));
        assertThat(oldest).isCancelled();
        Reservation reservedWithin = executor.reserve(Groups.within("bank", "reserved"));
        executor.execute(Groups.exclusive("bank"), () -> ran.add("newest"));
        reservedWithin.close();
        steps.runAll();

        within.add(executor.submit(Groups.within("bank", 3), () -> ran.add("within")));
        Reservation place = executor.reserve(Groups.exclusive("bank"));
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("bank"), () -> ran.add("rejected")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(within).noneMatch(CompletableFuture::isCancelled);
        place.close();
        steps.runAll();
        assertThat(ran.stream().filter("within"::equals)).hasSize(4);
        assertThat(ran).hasSize(6).contains("barrier", "newest");
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a stream to a key with room for one task, whose tasks fail and are put back, is never rejected")
    void neverRejectedWhileTasksArePutBack() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(Integer.MAX_VALUE)
                        .delay(Duration.ZERO)
                        .thenProceed())
                .build();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            all.add(executor.submit("a", () -> {
                throw new ThrownOnPurpose();
            }));
        }
        assertThat(executor.inspect().stats().rejected()).isZero();
        all.forEach(future -> future.cancel(false));
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(100_000);
    }

    @Test
    @DisplayName("a task of several groups drops none if one of them is full of what cannot be dropped")
    void nothingIsDroppedBesideAFullGroup() {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = groupsWithRoomForOne(steps);
        CompletableFuture<Boolean> queued = executor.submit(Groups.exclusive("a"), () -> ran.add("queued"));
        Reservation place = executor.reserve(Groups.exclusive("b"));
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("a", "b"), () -> ran.add("rejected")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("key b of")
                .hasMessageContaining("too few to drop");
        assertThat(queued).isNotDone();
        place.execute(() -> ran.add("place"));
        steps.runAll();
        finish(executor, 2);
        assertThat(ran).containsExactlyInAnyOrder("queued", "place");
    }

    @Test
    @DisplayName("a task of several groups that is rejected for one of them keeps no other out of the rest meanwhile")
    void theOtherRoomsAreNotTaken() {
        GroupedExecutor executor =
                GroupedExecutor.builder().threads(1).keyCapacity(1).build();
        Reservation place = executor.reserve(Groups.exclusive("full"));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        Thread other = new Thread(() -> {
            while (!stop.get()) {
                try {
                    executor.execute(Groups.exclusive("a", "b", "c", "d", "e", "full"), () -> ran.add("of all"));
                } catch (RejectedExecutionException e) {
                    refused.incrementAndGet();
                }
            }
        });
        other.start();
        try {
            for (int i = 0; i < 20_000; i++) {
                for (String key : List.of("a", "b", "c", "d", "e")) {
                    assertThat(Patience.get(executor.submit(Groups.exclusive(key), () -> true)))
                            .isTrue();
                }
            }
        } finally {
            stop.set(true);
        }
        Patience.join(other);
        assertThat(refused.get()).isPositive();
        place.close();
        finish(executor, 0);
        assertThat(executor.inspect().stats().completed()).isEqualTo(100_000);
    }

    private void assertTooFewToDrop(StripedExecutor executor, String key, int capacity) {
        assertThatThrownBy(() -> executor.execute(key, () -> ran.add("rejected")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("key " + key + " of ")
                .hasMessageContaining("its key capacity is " + capacity
                        + " queued tasks, and the keys of this task have too few to drop; raise keyCapacity");
    }

    @Test
    @DisplayName("a task that has several groups of the new one is one task: nothing is dropped in vain")
    void whatHasSeveralGroupsIsDroppedOnce() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .threads(1)
                .capacity(4)
                .overflow(Overflow.discardOldest())
                .build();
        CountDownLatch runs = new CountDownLatch(1);
        executor.execute(Groups.exclusive("x"), () -> {
            runs.countDown();
            Patience.await(go);
            ran.add("held");
        });
        Patience.await(runs);
        Groups both = Groups.exclusive("a", "b");
        List<CompletableFuture<Boolean>> queued = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            queued.add(executor.submit(both, () -> ran.add(name)));
        }
        for (String key : List.of("c", "d")) {
            queued.add(executor.submit(Groups.exclusive(key), () -> ran.add(key)));
        }
        executor.control().setCapacity(2);
        assertThat(thrownBy(() -> executor.execute(both, () -> ran.add("newer"))))
                .containsExactly(RejectedExecutionException.class);
        assertThat(queued).noneMatch(CompletableFuture::isDone);
        queued.get(3).cancel(false);
        assertThat(thrownBy(() -> executor.execute(both, () -> ran.add("newer"))))
                .isEmpty();
        assertThat(queued.subList(0, 2)).allMatch(CompletableFuture::isCancelled);
        finish(executor, 3);
        assertThat(ran).containsExactlyInAnyOrder("held", "c", "newer");
    }

    @Test
    @DisplayName("if the stripe has enough tasks, so many are dropped that the new one has room, parked ones too")
    void asManyAsNeededAreDropped() {
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .capacity(2)
                .failurePolicy(FailurePolicy.park())
                .overflow(Overflow.discardOldest())
                .build();
        List<CompletableFuture<Boolean>> behind = new ArrayList<>();
        CompletableFuture<?> failing = executor.submit("a", () -> {
            for (int i = 0; i < 2; i++) {
                String name = "behind " + i;
                behind.add(executor.submit("a", () -> ran.add(name)));
            }
            throw new ThrownOnPurpose();
        });
        steps.runAll();
        assertThat(executor.inspect().stats().queued()).isEqualTo(3);
        assertThat(thrownBy(() -> executor.execute("a", () -> ran.add("newer"))))
                .isEmpty();
        assertThat(failing).isCancelled();
        assertThat(behind.get(0)).isCancelled();
        steps.runAll();
        finish(executor, 2);
        assertThat(ran).containsExactly("behind 1", "newer");
    }

    @Test
    @DisplayName("a submission that waits for one of its groups has the room of the other, if that came first")
    void theRoomOfAnotherGroupIsKept() {
        int rejected = 0;
        for (String full : List.of("a", "b")) {
            String other = full.equals("a") ? "b" : "a";
            GroupedExecutor executor = GroupedExecutor.builder()
                    .threads(1)
                    .keyCapacity(1)
                    .overflow(BLOCK)
                    .build();
            CountDownLatch runs = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            executor.execute(Groups.exclusive(full), () -> {
                runs.countDown();
                Patience.await(end);
            });
            Patience.await(runs);
            CompletableFuture<Boolean> queued = executor.submit(Groups.exclusive(full), () -> true);
            block(() -> executor.execute(Groups.exclusive("a", "b"), () -> ran.add("both, " + full + " was full")));
            rejected += thrownBy(() -> executor.with(Overflow.discardOldest())
                            .execute(Groups.exclusive(other), () -> ran.add(other)))
                    .size();
            end.countDown();
            assertThat(Patience.get(queued)).isTrue();
            blocked.forEach(Patience::get);
            Patience.terminate(executor);
        }
        assertThat(rejected).isEqualTo(1);
        assertThat(ran).hasSize(3).contains("both, a was full", "both, b was full");
    }

    @Test
    @DisplayName("where others wait for room a task that is dropped would make it for them: nothing is dropped")
    void othersWait() {
        StripedExecutor executor = busyWith("a", StripedExecutor.builder().overflow(BLOCK));
        CompletableFuture<Boolean> queued = executor.submit("a", () -> ran.add("queued"));
        block(() -> executor.execute("a", () -> ran.add("waited")));
        assertThatThrownBy(() -> executor.with(Overflow.discardOldest()).execute("a", () -> ran.add("newer")))
                .isInstanceOf(RejectedExecutionException.class);
        finish(executor, 3);
        assertThat(queued).isCompletedWithValue(true);
        assertThat(ran).containsExactly("held", "queued", "waited");
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
    }

    @Test
    @DisplayName("nothing is dropped where others wait for the room of the executor, which the new task needs, too")
    void othersWaitForTheExecutor() {
        StripedExecutor executor =
                busyWith("x", StripedExecutor.builder().capacity(1).overflow(BLOCK));
        CompletableFuture<Boolean> queued = executor.submit("a", () -> ran.add("queued"));
        block(() -> executor.execute("b", () -> ran.add("waited")));
        assertThat(thrownBy(() -> executor.with(Overflow.discardOldest()).execute("a", () -> ran.add("newer"))))
                .containsExactly(RejectedExecutionException.class);
        finish(executor, 3);
        assertThat(queued).isCompletedWithValue(true);
    }

    @Test
    @DisplayName("an action of a dropped task's future may submit to the same key: it drops and is dropped like others")
    void submitsInstead() {
        StripedExecutor executor = busyWith("a", StripedExecutor.builder().overflow(Overflow.discardOldest()));
        CompletableFuture<Boolean> oldest = executor.submit("a", () -> ran.add("oldest"));
        List<CompletableFuture<Boolean>> instead = new CopyOnWriteArrayList<>();
        CompletableFuture<Boolean> then =
                oldest.whenComplete((result, failure) -> instead.add(executor.submit("a", () -> ran.add("instead"))));
        assertThat(thrownBy(() -> executor.execute("a", () -> ran.add("newest"))))
                .isEmpty();
        assertThat(then).isCompletedExceptionally();
        finish(executor, 2);
        assertThat(ran).containsExactly("held", "newest");
        assertThat(instead)
                .singleElement()
                .satisfies(future -> assertThat(future).isCancelled());
    }

    @Test
    @DisplayName("a listener that is told of a batch's retry may submit to its key: the batch has no room then")
    void aListenerSubmitsToTheKeyOfABatch() {
        AtomicReference<StripedExecutor> of = new AtomicReference<>();
        CountDownLatch submitted = new CountDownLatch(1);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofMillis(1))
                        .thenProceed())
                .listener(new TaskListener() {
                    @Override
                    public void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
                        of.get().execute("a", () -> ran.add("by the listener"));
                        submitted.countDown();
                    }
                })
                .build();
        of.set(executor);
        Batcher<String, String> batcher = executor.<String, String>batchTo((key, items) -> {
                    ran.addAll(items);
                    throw new ThrownOnPurpose();
                })
                .build();
        CompletableFuture<Void> item = batcher.submit("a", "item");
        Patience.await(submitted);
        Patience.terminate(executor);
        assertThat(item).isCompletedExceptionally().isNotCancelled();
        assertThat(ran).containsExactly("item", "item", "by the listener");
    }

    @Test
    @DisplayName("of two submitters of one key with room for one task none is rejected: nobody has that room for long")
    void nobodyIsRejectedByOthersInAHurry() {
        int each = 100_000;
        AtomicInteger started = new AtomicInteger();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .build();
        for (int i = 0; i < 2; i++) {
            FutureTask<?> submits = new FutureTask<>(
                    () -> {
                        for (int task = 0; task < each; task++) {
                            executor.execute("a", started::incrementAndGet);
                        }
                    },
                    null);
            blocked.add(submits);
            new Thread(submits).start();
        }
        finish(executor, 0);
        assertThat(executor.inspect().stats().rejected()).isZero();
        assertThat(started.get() + executor.inspect().stats().cancelled()).isEqualTo(2L * each);
        assertThat(executor.inspect().stats().completed()).isEqualTo(started.get());
    }
}
