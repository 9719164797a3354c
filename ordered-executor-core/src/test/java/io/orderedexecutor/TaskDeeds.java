package io.orderedexecutor;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What watched tasks do while they run. */
final class TaskDeeds {
    private final EverythingRound round;
    private final StripedExecutor executor;

    TaskDeeds(EverythingRound round, StripedExecutor executor) {
        this.round = round;
        this.executor = executor;
    }

    void act(WatchedTask task) {
        TaskPlan plan = task.plan();
        SplittableRandom random = new SplittableRandom(plan.seed());
        switch (plan.deed()) {
            case NOTHING -> {}
            case LINGER -> LockSupport.parkNanos(30_000);
            case INTERRUPT_ITSELF -> Thread.currentThread().interrupt();
            case SUBMIT_TO_OWN_STRIPE -> submitFrom(task, task.stripe(), random);
            case SUBMIT_TO_OTHER_STRIPE -> submitFrom(task, round.anyStripe(random), random);
            case WAIT_FOR_ITSELF -> waitForItself(task, random);
            case INTRUDE_ON_ITSELF -> task.intrude(TaskPlan.Intrusion.any(random));
            case LOOK_AND_CONTROL -> lookAndControl(task);
        }
    }

    private WatchedTask child(WatchedTask parent, WatchedStripe stripe, SubmissionWay way, SplittableRandom random) {
        return new WatchedTask(round, stripe, parent.stripe().sourceTo(stripe), TaskPlan.plain(way, random.nextLong()));
    }

    private void submitFrom(WatchedTask parent, WatchedStripe stripe, SplittableRandom random) {
        if (stripe.key() != null) {
            SubmissionWay way = random.nextBoolean() ? SubmissionWay.EXECUTE : SubmissionWay.SUBMIT_ASYNC;
            round.submit(child(parent, stripe, way, random));
        }
    }

    /** R10: what is behind this task on its own stripe cannot be waited for. */
    private void waitForItself(WatchedTask task, SplittableRandom random) {
        if (task.stripe().key() == null) {
            return;
        }
        WatchedTask behind = child(task, task.stripe(), SubmissionWay.SUBMIT, random);
        if (!round.submit(behind)) {
            return;
        }
        CompletableFuture<Object> future = behind.future();
        try {
            future.get();
            task.report("has waited for " + behind);
        } catch (SelfWaitException expected) {
            round.coverage().count(Coverage.Feature.SELF_WAIT);
        } catch (CancellationException cancelled) {
            if (!round.settings().discards() && !round.isStopping()) {
                task.report("was told that nobody can have cancelled " + behind);
            }
        } catch (InterruptedException | ExecutionException e) {
            task.report("waited for " + behind + ", which ended with " + e);
        }
    }

    private void lookAndControl(WatchedTask task) {
        Object key = task.stripe().key();
        boolean seen = executor.runningTasks().stream()
                .anyMatch(running -> running.thread() == Thread.currentThread()
                        && (key == null ? running.key() == null : key.equals(running.key())));
        if (!seen) {
            task.report("is not among the running tasks");
        }
        if (key != null) {
            executor.pause(key);
            executor.resume(key);
        }
        try {
            // none of these may wait for this task
            if (executor.drain(Duration.ofDays(1)) || executor.awaitTermination(1, TimeUnit.DAYS)) {
                task.report("is overlooked by drain or awaitTermination");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
