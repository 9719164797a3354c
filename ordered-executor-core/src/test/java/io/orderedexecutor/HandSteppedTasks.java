package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Touch;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;

/**
 * Tasks on a {@link SteppedExecutor}, and beside it a model that is asked after each operation which of them should
 * have started by now: all those whose conflicting predecessors have ended.
 */
final class HandSteppedTasks {

    /** How a task is submitted, and what it does when it starts. */
    enum Manner {
        EXECUTED,
        SUBMITTED,
        THROWING,
        STAGE_THAT_IS_COMPLETE,
        NO_STAGE,
        HELD
    }

    private static final List<Manner> MANNERS = List.of(Manner.values());

    enum Act {
        SUBMIT,
        COMPLETE,
        FAIL,
        CANCEL
    }

    /**
     * One operation.
     *
     * @param touch what is submitted, if this is a submission
     * @param pick says which task is meant, if this is none
     * @param refused whether no thread can be had meanwhile
     * @param stepped whether threads come afterwards
     */
    record Op(Act act, Touch touch, Manner manner, int pick, boolean refused, boolean stepped) {
        static Op random(SplittableRandom random) {
            int act = random.nextInt(100);
            boolean refused = random.nextInt(12) == 0;
            boolean stepped = random.nextInt(4) != 0;
            if (act < 55) {
                Manner manner = random.nextInt(3) == 0 ? MANNERS.get(random.nextInt(MANNERS.size())) : Manner.HELD;
                return new Op(Act.SUBMIT, Touch.random(random, 60), manner, 0, refused, stepped);
            }
            Act other = act < 80 ? Act.COMPLETE : act < 85 ? Act.FAIL : Act.CANCEL;
            return new Op(other, null, null, random.nextInt(1 << 20), refused, stepped);
        }
    }

    private static final class Task {
        final int number;
        final Touch touch;
        final Manner manner;
        final CompletableFuture<Object> stage = new CompletableFuture<>();
        Future<?> future;
        int starts;

        // what the model says
        boolean shouldHaveStarted;
        boolean hasEnded;

        Task(int number, Touch touch, Manner manner) {
            this.number = number;
            this.touch = touch;
            this.manner = manner;
        }

        boolean isHeld() {
            return shouldHaveStarted && !hasEnded;
        }
    }

    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).platform(new NoThreads()).build();
    private final List<Task> tasks = new ArrayList<>();
    private final List<String> wronglyAsked = new ArrayList<>();
    private int completed;
    private int failed;
    private int cancelled;
    private int rejected;
    private int checks;

    /** Starts no thread and no timer: what is refused runs on the thread at hand, which is the model's. */
    private static final class NoThreads extends Platform {
        @Override
        public void start(Thread thread) {
            throw new ThrownOnPurpose();
        }

        @Override
        public Runnable scheduleAsync(long nanos, Runnable action) {
            // it would offer, beside this thread, what was refused
            return () -> {};
        }
    }

    void perform(Op op) {
        steps.refuse(op.refused);
        switch (op.act) {
            case SUBMIT -> submit(op);
            case COMPLETE -> pick(op, Task::isHeld, task -> task.stage.complete(1), Count.COMPLETED);
            case FAIL ->
                pick(op, Task::isHeld, task -> task.stage.completeExceptionally(new ThrownOnPurpose()), Count.FAILED);
            case CANCEL ->
                pick(
                        op,
                        task -> !task.hasEnded && task.future != null,
                        task -> task.future.cancel(true),
                        Count.CANCELLED);
        }
        steps.refuse(false);
        // with no thread to be had, tasks run at once
        if (op.stepped || op.refused) {
            steps.runAll();
            letModelRun();
            check();
        }
    }

    /** Ends everything, and asserts that each task had its one end and nothing is left. */
    void finish(SplittableRandom random) {
        steps.runAll();
        letModelRun();
        check();
        while (tasks.stream().anyMatch(task -> !task.hasEnded)) {
            perform(new Op(Act.COMPLETE, null, null, random.nextInt(1 << 20), false, true));
        }
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, completed, failed, cancelled, rejected));
        assertThat(tasks).as("tasks that ended").hasSize(completed + failed + cancelled);
        assertThat(executor.inspect().deepestKeys(100)).isEmpty();
        assertThat(wronglyAsked).isEmpty();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    // the executor

    private void submit(Op op) {
        Task task = new Task(tasks.size(), op.touch, op.manner);
        boolean mustBeRefused = op.refused && mayStart(task);
        boolean wasRefused = false;
        tasks.add(task);
        try {
            give(task);
        } catch (RejectedExecutionException refusal) {
            wasRefused = true;
            rejected++;
            tasks.remove(task);
        }
        if (wasRefused != mustBeRefused) {
            throw new AssertionError("task " + task.number + (wasRefused ? " was refused" : " was not refused"));
        }
    }

    private void give(Task task) {
        Touch touch = task.touch;
        Object work = touch.peer() == null ? null : new PeerTask(task);
        Runnable body = work instanceof OrderedTask ordered ? ordered : () -> start(task);
        TaskFuture<Object> future = new TaskFuture.Stage<>(() -> startStage(task));
        if (task.manner == Manner.EXECUTED || task.manner == Manner.THROWING) {
            if (touch.wants().isEmpty()) {
                executor.asExecutorService().execute(body);
            } else {
                executor.execute(touch.groups(), body);
            }
        } else if (task.manner == Manner.SUBMITTED) {
            task.future = touch.wants().isEmpty()
                    ? executor.asExecutorService().submit(body)
                    : executor.submit(touch.groups(), () -> start(task));
        } else if (!touch.wants().isEmpty()) {
            task.future = executor.submitAsync(touch.groups(), () -> startStage(task));
        } else {
            // only tasks with groups can be asynchronous in public
            task.future = future;
            executor.engine().submitOrdered(work, future);
        }
    }

    private int start(Task task) {
        task.starts++;
        if (task.manner == Manner.THROWING) {
            throw new ThrownOnPurpose();
        }
        return task.starts;
    }

    private CompletionStage<Object> startStage(Task task) {
        start(task);
        return switch (task.manner) {
            case STAGE_THAT_IS_COMPLETE -> CompletableFuture.completedFuture(1);
            case NO_STAGE -> null;
            default -> task.stage;
        };
    }

    private final class PeerTask implements OrderedTask {
        private final Task task;

        PeerTask(Task task) {
            this.task = task;
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            Task other = ((PeerTask) that).task;
            if (other.hasEnded || other == task || !task.touch.peer().isAskedAbout(other.touch.peer())) {
                wronglyAsked.add(task.number + " about " + other.number);
            }
            return task.touch.peer().tolerates(other.touch.peer());
        }

        @Override
        public Object compatibilityClass() {
            return task.touch.peer().compatibilityClass();
        }

        @Override
        public void run() {
            start(task);
        }
    }

    // the model

    private void pick(Op op, Predicate<Task> among, Predicate<Task> act, Count end) {
        List<Task> candidates = tasks.stream().filter(among).toList();
        if (!candidates.isEmpty()) {
            Task task = candidates.get(op.pick % candidates.size());
            assertThat(act.test(task))
                    .as("task %d was not done before", task.number)
                    .isTrue();
            end(task, end);
        }
    }

    private boolean mayStart(Task task) {
        for (Task earlier : tasks) {
            if (earlier.number < task.number && !earlier.hasEnded && earlier.touch.conflictsWith(task.touch)) {
                return false;
            }
        }
        return true;
    }

    /** Only earlier tasks matter, so one pass is enough. */
    private void letModelRun() {
        for (Task task : tasks) {
            if (!task.hasEnded && !task.shouldHaveStarted && mayStart(task)) {
                task.shouldHaveStarted = true;
                switch (task.manner) {
                    case HELD -> {}
                    case THROWING, NO_STAGE -> end(task, Count.FAILED);
                    default -> end(task, Count.COMPLETED);
                }
            }
        }
    }

    private void end(Task task, Count end) {
        task.hasEnded = true;
        switch (end) {
            case COMPLETED -> completed++;
            case FAILED -> failed++;
            case CANCELLED -> cancelled++;
            default -> throw new AssertionError(end);
        }
    }

    private void check() {
        int queued = 0;
        int active = 0;
        for (Task task : tasks) {
            if (task.starts != (task.shouldHaveStarted ? 1 : 0)) {
                throw new AssertionError("task " + task.number + " has started " + task.starts + " times, "
                        + (task.shouldHaveStarted ? "though nothing is before it" : "though something is before it"));
            }
            queued += task.hasEnded || task.shouldHaveStarted ? 0 : 1;
            active += task.isHeld() ? 1 : 0;
        }
        // now and then: it looks at all groups
        if (checks++ % 16 == 0) {
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(List.of(stats.queued(), stats.active())).isEqualTo(List.of((long) queued, (long) active));
        }
    }
}
