package io.orderedexecutor;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A task and all that becomes of it. */
final class WatchedTask {

    /** The value and the message of what others complete futures with. */
    static final String OUTSIDE = "from outside";

    private final EverythingRound round;
    private final WatchedStripe stripe;
    private final WatchedStripe.Source source;
    private final int number;
    private final TaskPlan plan;
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger successes = new AtomicInteger();
    private final AtomicInteger uncaught = new AtomicInteger();
    private final AtomicInteger takenBack = new AtomicInteger();
    private final Map<HeardTasks.Kind, Integer> heard = new ConcurrentHashMap<>();
    private volatile WeakReference<Object> guise;
    private volatile CompletableFuture<Object> future;

    /** Whether the task has returned its stage, which holds the stripe now. */
    private volatile boolean held;

    private volatile boolean mayBeInterrupted;
    private final AtomicReference<TaskPlan.Intrusion> intrudedBy = new AtomicReference<>();
    private volatile boolean accepted;

    WatchedTask(EverythingRound round, WatchedStripe stripe, WatchedStripe.Source source, TaskPlan plan) {
        this.round = round;
        this.stripe = stripe;
        this.source = source;
        this.number = source.next();
        this.plan = plan;
    }

    WatchedStripe stripe() {
        return stripe;
    }

    int number() {
        return number;
    }

    TaskPlan plan() {
        return plan;
    }

    // submission

    /** Submits this task; what the executor throws goes on. */
    void submitTo(StripedExecutor executor) {
        SubmissionWay.Guise submitted = plan.way().guise(this);
        guise = new WeakReference<>(submitted);
        future = plan.way().submit(executor, stripe.key(), submitted);
        accepted = true;
    }

    // what the executor calls

    /** The work of a task that is not asynchronous. */
    void attempt() {
        boolean fails = begin();
        round.deeds().act(this);
        if (!fails) {
            successes.incrementAndGet();
        }
        stripe.leave(this);
        if (fails) {
            TaskFault.<RuntimeException, Object>throwAnyway(plan.fault().of(this));
        }
    }

    /** The work of an asynchronous task. */
    CompletionStage<Object> attemptStage() {
        boolean fails = begin();
        round.deeds().act(this);
        TaskPlan.Stage kind = plan.stage();
        if (kind == TaskPlan.Stage.THROWN || kind == TaskPlan.Stage.MISSING) {
            stripe.leave(this);
            return kind == TaskPlan.Stage.MISSING
                    ? null
                    : TaskFault.<RuntimeException, CompletionStage<Object>>throwAnyway(
                            plan.fault().of(this));
        }
        CompletableFuture<Object> stage = new CompletableFuture<>();
        held = true;
        if (kind == TaskPlan.Stage.COMPLETE) {
            end(stage, fails);
        } else if (kind == TaskPlan.Stage.COMPLETED_BY_ANOTHER_THREAD) {
            round.completers().execute(() -> end(stage, fails));
        }
        return stage;
    }

    private void end(CompletableFuture<Object> stage, boolean fails) {
        if (!fails) {
            successes.incrementAndGet();
        }
        stripe.leave(this);
        if (fails) {
            stage.completeExceptionally(plan.fault().of(this));
        } else {
            stage.complete(this);
        }
    }

    /** Whether this attempt is to fail. */
    private boolean begin() {
        held = false;
        int attempt = attempts.incrementAndGet();
        stripe.enter(this, source, attempt);
        if (Thread.currentThread().isInterrupted() && !mayBeInterrupted && round.tellsInterruptsApart()) {
            report("sees an interrupt that is not meant for it");
        }
        if (hasHeardOfItsEnd()) {
            report("starts after its end was told");
        }
        if (successes.get() > 0) {
            report("starts again after it has succeeded");
        }
        return attempt <= plan.failures();
    }

    /** Whether this task does not keep others out although it has not left: somebody else has completed its future. */
    boolean isHeldNoLonger() {
        CompletableFuture<Object> known = future;
        return held && (known == null ? round.isStopping() : known.isDone());
    }

    // what others do to its future

    @SuppressWarnings("FutureReturnValueIgnored") // it returns the same future
    void intrude(TaskPlan.Intrusion intrusion) {
        CompletableFuture<Object> target = future;
        if (target == null || target.isDone()) {
            return;
        }
        mayBeInterrupted |= intrusion == TaskPlan.Intrusion.CANCEL_AND_INTERRUPT;
        boolean done = switch (intrusion) {
            case CANCEL -> target.cancel(false);
            case CANCEL_AND_INTERRUPT -> target.cancel(true);
            case COMPLETE -> target.complete(OUTSIDE);
            case FAIL -> target.completeExceptionally(new IllegalStateException(OUTSIDE));
            case COMPLETE_ASYNC -> {
                target.completeAsync(() -> OUTSIDE, round.completers());
                yield false;
            }
            case NONE -> false;
        };
        // a future that is cancelled says so to each who cancels it
        TaskPlan.Intrusion before = done ? intrudedBy.getAndSet(intrusion) : null;
        if (before != null && !(before.cancels() && intrusion.cancels())) {
            report("was completed by " + before + " and by " + intrusion);
        }
    }

    // what is known

    void report(String violation) {
        round.report(this + " " + violation);
    }

    void hear(HeardTasks.Kind kind) {
        heard.merge(kind, 1, Integer::sum);
    }

    void onUncaught() {
        uncaught.incrementAndGet();
    }

    void onTakenBack() {
        takenBack.incrementAndGet();
    }

    int heard(HeardTasks.Kind kind) {
        return heard.getOrDefault(kind, 0);
    }

    private boolean hasHeardOfItsEnd() {
        return heard.keySet().stream().anyMatch(HeardTasks.Kind::isEnd);
    }

    int attempts() {
        return attempts.get();
    }

    int successes() {
        return successes.get();
    }

    int uncaught() {
        return uncaught.get();
    }

    int takenBack() {
        return takenBack.get();
    }

    boolean isAccepted() {
        return accepted;
    }

    /** What has completed its future from outside, as far as it told so; else null. */
    TaskPlan.Intrusion intrudedBy() {
        return intrudedBy.get();
    }

    CompletableFuture<Object> future() {
        return future;
    }

    WeakReference<Object> guise() {
        return guise;
    }

    @Override
    public String toString() {
        return "task " + number + " of " + stripe + " (" + plan + "; heard " + heard + ", " + attempts + " attempts, "
                + successes + " successes, future " + future + ")";
    }
}
