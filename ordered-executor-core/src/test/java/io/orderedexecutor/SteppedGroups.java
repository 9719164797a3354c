package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A grouped executor that a test steps by hand, with tasks that have names and all that tells what became of them. */
final class SteppedGroups {
    static final Groups A = Groups.exclusive("a");
    static final Groups B = Groups.exclusive("b");
    static final Groups C = Groups.exclusive("c");
    static final Groups AB = Groups.exclusive("a", "b");
    static final Groups BC = Groups.exclusive("b", "c");
    static final Groups SHARED_A = Groups.shared("a");

    final SteppedExecutor steps = new SteppedExecutor();
    final HandTimer timer = new HandTimer();
    final HeardTasks heard = new HeardTasks();
    final GroupedExecutor executor;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    SteppedGroups() {
        this(settings -> settings);
    }

    SteppedGroups(UnaryOperator<GroupedExecutorBuilder> settings) {
        executor = settings.apply(GroupedExecutor.builder()
                        .name("bank")
                        .executor(steps)
                        .platform(timer)
                        .listener(heard))
                .build();
    }

    /** A task that notes each of its runs. */
    final class Named implements Runnable, Callable<String>, OrderedTask {
        final String name;
        private final Callable<String> body;

        Named(String name, Callable<String> body) {
            this.name = name;
            this.body = body;
        }

        @Override
        public String call() throws Exception {
            ran.add(name);
            return body.call();
        }

        @Override
        public void run() {
            ran.add(name);
            try {
                body.call();
            } catch (RuntimeException failure) {
                throw failure;
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            return false;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** An asynchronous task whose stage the test completes. */
    final class Held implements Supplier<CompletionStage<String>> {
        final String name;
        final CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future;

        Held(String name) {
            this.name = name;
        }

        @Override
        public CompletionStage<String> get() {
            ran.add(name);
            return stage;
        }

        void end() {
            stage.complete(name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    Named named(String name) {
        return new Named(name, () -> name);
    }

    Held hold(Groups groups, String name) {
        Held held = new Held(name);
        held.future = executor.submitAsync(groups, held);
        return held;
    }

    CompletableFuture<String> submit(Groups groups, String name) {
        return submit(groups, name, () -> name);
    }

    CompletableFuture<String> submit(Groups groups, String name, Callable<String> body) {
        return executor.submit(groups, (Callable<String>) new Named(name, body));
    }

    void execute(Groups groups, String name) {
        executor.execute(groups, (Runnable) named(name));
    }

    /** A task that fails so many times, and then succeeds. */
    CompletableFuture<String> failing(Groups groups, String name, int failures) {
        AtomicInteger attempts = new AtomicInteger();
        return submit(groups, name, () -> {
            if (attempts.incrementAndGet() <= failures) {
                throw new ThrownOnPurpose();
            }
            return name;
        });
    }

    /** Lets run what can run, and tells what that was. */
    List<String> run() {
        ran.clear();
        steps.runAll();
        return took();
    }

    /** What has run since it was asked for the last time. */
    List<String> took() {
        List<String> names = List.copyOf(ran);
        ran.clear();
        return names;
    }

    /** Asserts that nothing is left, and that so many tasks have ended in each way. */
    void assertAllEnded(long completed, long failed, long cancelled) {
        assertAllEnded(completed, failed, cancelled, 0);
    }

    void assertAllEnded(long completed, long failed, long cancelled, long rejected) {
        assertThat(run()).as("runs that nobody expected").isEmpty();
        OrderedExecutorStats ended = new OrderedExecutorStats(0, 0, 0, 0, 0, completed, failed, cancelled, rejected);
        assertThat(executor.inspect().stats()).isEqualTo(ended);
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(ended);
        assertThat(heard.all().stream().filter(event -> event.kind().isEnd()))
                .as("ends that were heard of")
                .hasSize(Math.toIntExact(completed + failed + cancelled));
        assertThat(heard.count(HeardTasks.Kind.REJECTED)).isEqualTo(rejected);
        heard.assertOneEndEach("");
        assertThat(timer.waiting()).isZero();
    }
}
