package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Peer;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the application's predicates see, and that they are contained whatever they do. */
class GroupedCompatibilityTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> ran.add("uncaught " + failure.getMessage()));

    private Peer peer(String name, Predicate<Peer> compatible) {
        return new Peer(name, () -> ran.add(name), compatible);
    }

    /** A task that is started, and not ended before its stage is complete. */
    private CompletableFuture<Object> hold(Peer peer) {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        executor.engine().submitOrdered(peer, new TaskFuture.Stage<>(() -> {
            peer.run();
            return stage;
        }));
        steps.runAll();
        return stage;
    }

    @Test
    @DisplayName("isCompatible sees the very objects that were submitted, however they were, and no others")
    void theVeryObjects() {
        List<Peer> seen = new ArrayList<>();
        Predicate<Peer> watching = seen::add;
        CompletableFuture<Object> held = hold(peer("held", watching));
        Peer executed = peer("executed", watching);
        Peer submitted = peer("submitted", watching);
        Peer called = peer("called", watching);
        executor.execute(executed);
        executor.asExecutorService().execute(() -> ran.add("plain"));
        executor.execute(Groups.exclusive("a"), () -> ran.add("grouped"));
        Future<?> runnable = executor.asExecutorService().submit((Runnable) submitted);
        Future<String> callable = executor.asExecutorService().submit((Callable<String>) called);
        assertThat(seen)
                .hasSize(12)
                .allMatch(peer -> peer.name.equals("held")
                        || List.of(executed, submitted, called).contains(peer));
        steps.runAll();
        held.complete(1);
        assertThat(runnable).isDone();
        assertThat(callable).isDone();
        assertThat(ran).containsExactlyInAnyOrder("held", "executed", "submitted", "called", "plain", "grouped");
    }

    @Test
    @DisplayName("one no is enough, and whose it is makes no difference")
    void eitherTaskMayExcludeTheOther() {
        CompletableFuture<Object> first = hold(peer("first", that -> !that.name.equals("second")));
        executor.execute(peer("second", that -> true));
        executor.execute(peer("third", that -> !that.name.equals("first")));
        executor.execute(peer("fourth", that -> true));
        steps.runAll();
        assertThat(ran).containsExactly("first", "fourth");
        first.complete(1);
        steps.runAll();
        assertThat(ran).containsExactlyInAnyOrder("first", "fourth", "second", "third");
    }

    @Test
    @DisplayName("tasks that have ended or were cancelled are not asked about, nor asked")
    void endedTasksAreNotAsked() {
        Predicate<Peer> never = that -> {
            throw new IllegalStateException("asked");
        };
        CompletableFuture<Object> ended = hold(peer("ended", that -> true));
        CompletableFuture<Object> failed = hold(peer("failed", that -> true));
        Future<?> cancelled = executor.asExecutorService().submit((Runnable) peer("cancelled", that -> true));
        ended.complete(1);
        failed.completeExceptionally(new ThrownOnPurpose());
        cancelled.cancel(false);
        executor.execute(peer("last", never));
        steps.runAll();
        assertThat(ran).containsExactly("ended", "failed", "last");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 1, 0));
    }

    @Test
    @DisplayName("what isCompatible throws is reported, and means no")
    void predicatesThatThrow() {
        CompletableFuture<Object> first = hold(peer("first", that -> {
            throw new IllegalStateException("first on " + that.name);
        }));
        executor.execute(peer("second", that -> true));
        executor.execute(peer("third", that -> {
            throw new AssertionError("third on " + that.name);
        }));
        steps.runAll();
        assertThat(ran)
                .containsExactly(
                        "first", "uncaught first on second", "uncaught third on first", "uncaught third on second");
        first.complete(1);
        steps.runAll();
        assertThat(ran).hasSize(6).endsWith("second", "third");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("a predicate that does not return blocks no worker, no other submitter and no other task")
    void predicatesThatBlock() {
        GroupedExecutor threaded = GroupedExecutor.builder().threads(1).build();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch othersDone = new CountDownLatch(4);
        CountDownLatch firstMayEnd = new CountDownLatch(1);
        threaded.execute(new Peer("first", () -> Patience.await(firstMayEnd), that -> true));
        Thread submitter = new Thread(() -> threaded.execute(peer("blocked", that -> {
            if (that.name.equals("first")) {
                inside.countDown();
                Patience.await(release);
            }
            return true;
        })));
        submitter.start();
        Patience.await(inside);
        // the first three want the same lock
        threaded.execute(Groups.exclusive(0), othersDone::countDown);
        threaded.execute(new Peer("class", othersDone::countDown, that -> true, "class"));
        threaded.execute(new Peer("none", othersDone::countDown, that -> true));
        threaded.asExecutorService().execute(othersDone::countDown);
        firstMayEnd.countDown();
        Patience.await(othersDone);
        release.countDown();
        Patience.join(submitter);
        Patience.terminate(threaded);
        assertThat(ran).containsExactly("blocked");
        assertThat(threaded.inspect().stats().completed()).isEqualTo(6);
    }

    /** A class whose {@code equals} cannot cope with null, against its contract, as happens. */
    private record Strict(String name) {
        @Override
        public boolean equals(Object other) {
            return other.hashCode() == hashCode() && other instanceof Strict;
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    @Test
    @DisplayName("a compatibility class is compared with its likes only, and with nothing under a lock")
    void equalsOfClassesIsContained() {
        CompletableFuture<Object> classless = hold(peer("classless", that -> true));
        executor.execute(new Peer("one", () -> ran.add("one"), that -> false, new Strict("x")));
        executor.execute(new Peer("two", () -> ran.add("two"), that -> false, new Strict("x")));
        steps.runAll();
        classless.complete(1);
        steps.runAll();
        assertThat(ran).containsExactly("classless", "one", "two");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    @DisplayName("cancelled tasks are unreachable at once, and leave nothing behind, though what they have "
            + "waited for goes on")
    void cancelledTasksAreUnreachable() {
        CompletableFuture<Object> first = hold(peer("first", that -> false));
        List<WeakReference<Object>> payloads = new ArrayList<>();
        List<WeakReference<Object>> chains = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            List<Future<?>> future = new ArrayList<>();
            payloads.add(Reachability.submitHolding(task -> future.add(
                    executor.asExecutorService().submit((Runnable) new Peer("cancelled", task, that -> true)))));
            chains.add(new WeakReference<>(chainOf(future.get(0))));
            future.get(0).cancel(false);
        }
        Reachability.assertCleared(payloads);
        assertThat(chains.stream().filter(chain -> chain.get() != null).count())
                .as("places of cancelled tasks that are kept")
                .isLessThan(50);
        executor.execute(peer("second", that -> true));
        first.complete(1);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1000, 0));
    }

    private static Object chainOf(Future<?> future) {
        return Objects.requireNonNull(((TaskFuture<?>) future).place());
    }
}
