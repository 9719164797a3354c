package io.orderedexecutor.engine.place;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.TaskEnd;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.WaitForRoom;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The engine of executors that work in parallel and write in order: the work of a piece conflicts with nothing, and its
 * output has a place.
 *
 * <p>A piece is not started before its submitter has seen that the output is open, after the piece had its place: so
 * one who closes the output, and then takes a place himself, stands behind all that was accepted.
 */
public final class OutputEngine {
    private final Overflow overflow;
    private final Reports reports;
    private final int concurrency;
    private final Service service;
    private final Orders orders;
    private final AtomicLong names = new AtomicLong();

    /** The window of an output that says nothing else. */
    private volatile int window;

    /** Whether somebody has asked for an age: before, pieces are not timed, unless there is a listener. */
    private volatile boolean areAgesWanted;

    public OutputEngine(
            String name,
            Workers workers,
            Reports reports,
            FailurePolicy failurePolicy,
            int capacity,
            Overflow overflow,
            int window,
            int concurrency,
            Runnable onTerminated) {
        this.overflow = overflow;
        this.reports = reports;
        this.window = window;
        this.concurrency = concurrency;
        this.service = new Service(
                name,
                "ordered output executor '" + name + "'",
                workers,
                reports,
                failurePolicy,
                capacity,
                Limits.UNLIMITED,
                true,
                place -> Objects.requireNonNullElse(place.targetOrNull(), TaskEvents.NO_KEY),
                new Comparisons(),
                onTerminated);
        this.orders = service.orders();
    }

    public Service service() {
        return service;
    }

    public int window() {
        return window;
    }

    public void setWindow(int newWindow) {
        window = newWindow;
    }

    /** How many pieces of an output may be worked on at once, if it says nothing else. */
    public int concurrency() {
        return concurrency;
    }

    /**
     * Opens an output.
     *
     * @param key what users know it by
     */
    public <T extends @Nullable Object> Output<T> open(Object key, Output.Settings<T> settings) {
        String given = settings.name();
        return new Output<>(this, key, given == null ? "output-" + names.incrementAndGet() : given, settings);
    }

    /** For a method that waits for tasks that are not submitted yet: throws if a task of this executor calls it. */
    public void requireOutsideTasks(String method) {
        if (service.isInsideTask()) {
            throw new SelfWaitException(method + " of " + service.description()
                    + " was called by one of its own tasks, and would keep the thread that the pieces may need "
                    + "which it waits for;"
                    + " call it from another thread, or submit to an OrderedOutput and go on in a dependent action");
        }
    }

    // acceptance

    /** Accepts a piece, or throws; null for the overflow of this executor. */
    public void submit(Output<?> output, TaskFuture.Piece<?> task, @Nullable Overflow ownOverflow) {
        TaskEvents events = reports.events();
        // before it is placed: a task that has ended has no work
        Object submitted = events == null ? task : Reports.submitted(task);
        try {
            service.platform().beforeSubmission(task);
            admit(output, task, ownOverflow == null ? overflow : ownOverflow);
        } catch (Throwable refusal) {
            if (events != null) {
                events.rejected(output.key(), submitted, refusal);
            }
            throw refusal;
        }
        if (events != null) {
            events.queued(output.key(), submitted);
        }
    }

    private void admit(Output<?> output, TaskFuture.Piece<?> task, Overflow policy) {
        requireRunning();
        output.requireOpen();
        Limits limits = service.limits();
        long before = output.window().tryTake();
        if (before == Window.NONE || (limits != null && !limits.tryTake())) {
            new Admission(output, before != Window.NONE).take(policy);
        }
        boolean isFirst = before == 0;
        boolean isTimed = isFirst || areAgesWanted || reports.events() != null;
        long now = isTimed ? service.platform().nanoTime() : 0;
        if (isFirst) {
            output.noteBusySince(now);
        }
        Piece piece = reports.events() == null && !areAgesWanted
                ? new Piece(task, orders, output)
                : new Piece.Timed(task, orders, output, now);
        task.setPlace(piece);
        if (!orders.enter(piece, output)) {
            task.setPlace(null);
            giveBack(output);
            throw rejectedByShutdown();
        }
        if (output.isClosed() && service.withdraw(piece)) {
            task.setPlace(null);
            output.requireOpen();
        }
        Slots slots = output.slots();
        if (slots == null) {
            piece.setStartable();
            service.handOver(piece);
        } else if (!slots.tryTake()) {
            slots.await(piece);
        } else if (piece.setStartable()) {
            service.handOver(piece);
        } else {
            slots.release();
        }
    }

    private void giveBack(Output<?> output) {
        output.window().undoTake();
        Limits limits = service.limits();
        if (limits != null) {
            limits.giveBack();
        }
    }

    public void requireRunning() {
        if (service.isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    private RejectedExecutionException rejectedByShutdown() {
        return rejected(
                RejectionCounts.Reason.SHUTDOWN,
                service.description() + " is shut down and accepts no more tasks",
                null);
    }

    RejectedExecutionException rejected(RejectionCounts.Reason reason, String message, @Nullable Throwable cause) {
        reports.rejections().count(reason);
        return new RejectedExecutionException(message, cause);
    }

    /** A submission that has found no room, in the window of its output or in the executor. */
    private final class Admission implements HeldUp {
        private final Output<?> output;

        /** Whether it has room in the window, and needs some in the executor. */
        private volatile boolean hasWindow;

        Admission(Output<?> output, boolean hasWindow) {
            this.output = output;
            this.hasWindow = hasWindow;
        }

        /** Takes the room that is missing, or throws, and then has none. */
        void take(Overflow policy) {
            boolean taken = false;
            try {
                if (!(policy instanceof Overflow.Block block)) {
                    throw refusal("");
                }
                if (service.isInsideTask()) {
                    throw refusal("; a task of this executor cannot wait for room that only its own end may make");
                }
                await(block.limit());
                taken = true;
            } finally {
                if (!taken && hasWindow) {
                    output.window().undoTake();
                }
            }
        }

        private void await(Duration limit) {
            HeldUp before = WaitForRoom.begin(this);
            try {
                long deadline = service.platform().nanoTime() + Math.min(Turn.nanos(limit), Long.MAX_VALUE / 2);
                Limits limits = service.limits();
                if (!hasWindow) {
                    hasWindow = output.window().take(deadline);
                }
                if (!hasWindow || (limits != null && !limits.take(deadline))) {
                    throw new TimeoutException();
                }
            } catch (TimeoutException noRoom) {
                requireRunning();
                output.requireOpen();
                throw refusal(", and none was made within " + limit);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw rejected(reason(), describe() + ", and the submitter was interrupted while it waited", interrupt);
            } finally {
                WaitForRoom.end(before);
            }
        }

        private RejectedExecutionException refusal(String because) {
            return rejected(reason(), describe() + because, null);
        }

        private RejectionCounts.Reason reason() {
            return hasWindow ? RejectionCounts.Reason.CAPACITY : RejectionCounts.Reason.KEY_CAPACITY;
        }

        private String describe() {
            Limits limits = service.limits();
            return hasWindow && limits != null
                    ? service.description() + " has no room: its capacity is " + limits.capacity() + " queued tasks"
                    : output.describe() + " has no room: its window is "
                            + output.window().size() + " pieces that are accepted and not written";
        }

        @Override
        public Explanation.Place where() {
            return output.where();
        }

        @Override
        public Reason heldUpBy() {
            Limits limits = service.limits();
            if (!hasWindow || limits == null) {
                return new Reason(
                        new Explanation.WindowFull(where(), output.window().size()), output.head());
            }
            HeldUp busy = new HeldUp() {
                @Override
                public Explanation.Place where() {
                    return Admission.this.where();
                }

                @Override
                public Reason heldUpBy() {
                    return new Explainer(service).ofBusy(where());
                }
            };
            return new Reason(new Explanation.NoRoom(where(), limits.capacity()), busy);
        }
    }

    // observation

    /** How long ago a time was, and from now on pieces are timed. */
    Duration ageSince(long time) {
        if (!areAgesWanted) {
            areAgesWanted = true;
        }
        return Duration.ofNanos(service.platform().nanoTime() - time);
    }

    /** The outputs that have pieces. */
    public List<Output<?>> busyOutputs() {
        List<Output<?>> busy = new ArrayList<>();
        for (Order order : orders.all()) {
            if (order.key instanceof Output<?> output && !order.isEmpty()) {
                busy.add(output);
            }
        }
        return busy;
    }

    public boolean isEmpty() {
        return orders.isEmpty();
    }

    public OrderedOutputExecutorStats stats() {
        long queued = 0;
        long active = 0;
        for (Place place : orders.all(false)) {
            queued += place.queuedTasks();
            active += place.isActive() ? 1 : 0;
        }
        return new OrderedOutputExecutorStats(
                busyOutputs().size(),
                queued,
                active,
                reports.counted(TaskEnd.COMPLETED),
                reports.counted(TaskEnd.FAILED),
                reports.counted(TaskEnd.CANCELLED),
                reports.rejections().counted().total());
    }

    /** Explains what holds up the first piece of an output. */
    public Explanation explain(Object key, boolean stacks) {
        for (Output<?> output : busyOutputs()) {
            if (output.key() == key) {
                Piece head = output.head();
                return head == null ? Reasons.idle(output.where()) : new Explainer(service).explain(head, stacks);
            }
        }
        return idle();
    }

    /** Nothing waits there. */
    public Explanation idle() {
        return Reasons.idle(new Explanation.Place(service.name(), "output", null));
    }
}
