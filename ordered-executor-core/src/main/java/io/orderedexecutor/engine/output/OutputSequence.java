package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.Ticket;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.RejectionCounts;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.ticket.QueuedTicket;
import io.orderedexecutor.engine.ticket.ServerSettings;
import io.orderedexecutor.engine.ticket.TicketQueue;
import io.orderedexecutor.engine.ticket.TicketServer;
import io.orderedexecutor.stats.OutputSnapshot;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of an {@link OrderedOutput}: tasks that run concurrently, and the order of their outputs, which
 * run on the threads of the executor.
 *
 * @param <T> the type of the results
 */
public final class OutputSequence<T extends @Nullable Object> implements LimitedKey {
    private final Engine<?> engine;
    private final Object key;
    private final int hash;
    private final String name;
    private final TaskRing<OutputTask<?>> tasks;
    private final ResultWriter<T> writer;
    private final TicketQueue queue;
    private final TicketServer server;

    /** Null if any number of tasks may run at once. */
    private final @Nullable ConcurrencyLimit limit;

    /** What has stopped this output, if a failure has. Written once, by the server, before {@link #isStopped}. */
    private volatile @Nullable Throwable failure;

    /** Whether what is not written will not be. */
    private final AtomicBoolean isStopped = new AtomicBoolean();

    /**
     * Begins.
     *
     * @param key what users know this output by
     * @param hash of the key, spread
     * @param tasks where the tasks of this output are found, among others
     */
    OutputSequence(
            Engine<?> engine,
            Object key,
            int hash,
            TaskRing<OutputTask<?>> tasks,
            String name,
            OutputSettings<T> settings) {
        this.engine = engine;
        this.key = key;
        this.hash = hash;
        this.tasks = tasks;
        this.name = name;
        this.writer = new ResultWriter<>(settings.consumer(), settings.onFailure());
        this.limit = settings.concurrency() == Limits.UNLIMITED ? null : new ConcurrencyLimit(settings.concurrency());
        Workers workers = engine.workers();
        this.queue = new TicketQueue(
                settings.window(),
                0,
                new ServerSettings(
                        OutputSequence::perform,
                        this::onRoom,
                        workers::passOn,
                        workers::turn,
                        engine.platform(),
                        // every task ends, and so does its ticket
                        null));
        this.server = queue.server();
    }

    Object key() {
        return key;
    }

    ConcurrencyLimit limit() {
        return Objects.requireNonNull(limit);
    }

    public String name() {
        return name;
    }

    // acceptance

    void requireOpen() {
        if (isClosed()) {
            Throwable cause = failure;
            throw engine.rejected(
                    RejectionCounts.Reason.SHUTDOWN,
                    describe() + (cause == null ? " is closed" : " was stopped by a failure")
                            + " and accepts no more pieces",
                    cause);
        }
    }

    /**
     * Gives a task its place, or throws.
     *
     * @return false if there is no room in the window
     */
    boolean tryPlace(TaskFuture<T> work) {
        requireOpen();
        QueuedTicket ticket = queue.issue();
        if (ticket == null) {
            requireOpen();
            return false;
        }
        boolean hasPlace = false;
        try {
            OutputTask<T> task = new OutputTask<>(engine, this, ticket, work, engine.newLink(work), limit != null);
            hasPlace = tasks.add(task);
            if (hasPlace) {
                start(task);
            }
        } finally {
            if (!hasPlace) {
                // whatever was thrown, memory or stack may have run out: there is no task whose end could do it
                ticket.giveUp();
            }
        }
        if (!hasPlace) {
            throw engine.rejectedByShutdown();
        }
        return true;
    }

    /** Starts a task that has its place, or throws and leaves nothing of it. */
    private void start(OutputTask<T> task) {
        ConcurrencyLimit limited = limit;
        if (isStopped.get()) {
            // the thread that stops this output has looked for tasks before this one came
            task.cancel();
        } else if (limited == null) {
            Serving.handOver(task, task.head());
        } else if (takesSlot(limited, task)) {
            if (task.becomeReady()) {
                Serving.handOver(task, task.head());
            } else {
                task.goOnInSlot();
            }
        }
    }

    /** Takes a slot, or waits for it and returns false. */
    private static boolean takesSlot(ConcurrencyLimit limited, OutputTask<?> task) {
        boolean isSettled = false;
        try {
            boolean takes = limited.tryTake();
            if (takes) {
                task.takeSlot();
            } else {
                limited.await(task);
            }
            isSettled = true;
            return takes;
        } finally {
            if (!isSettled) {
                task.cancel();
            }
        }
    }

    // as a key with limits

    @Override
    public int hash() {
        return hash;
    }

    @Override
    public boolean dropOldest() {
        return false;
    }

    @Override
    public String describe() {
        return "output '" + name + "' of " + engine.describe();
    }

    @Override
    public String describeFull(int capacity) {
        return describe() + " has no room: its window is " + window()
                + " pieces that are accepted and not written; the first of them is " + server.head();
    }

    // writing

    private static boolean perform(Ticket ticket, Runnable output) {
        try {
            return ((OutputAttempt<?>) output).write();
        } catch (Throwable failure) {
            // what the application throws is contained before; if memory or stack run out on the way, the others must
            // not be lost
            UncaughtFailures.report(failure);
            return true;
        }
    }

    /** Called by the holder of a task, in its turn. */
    void write(OutputAttempt<T> attempt, @Nullable T result, @Nullable Throwable thrown) {
        Throwable failure = thrown;
        if (failure == null) {
            failure = tryWrite(attempt, result);
        } else if (writer.replacesFailures()) {
            failure = tryReplace(attempt, failure);
        }
        if (failure == null) {
            return;
        }
        writer.report(failure);
        if (writer.stopsOnFailure()) {
            this.failure = failure;
            var unused = end();
        }
        server.leaveWindow();
        attempt.failed(failure);
        if (writer.stopsOnFailure()) {
            stop();
        }
    }

    /** Returns what the consumer has thrown. */
    private @Nullable Throwable tryWrite(OutputAttempt<T> attempt, @Nullable T result) {
        long begunAt = nowIfListening();
        Throwable failure = writer.write(result);
        if (failure == null) {
            server.leaveWindow();
            attempt.written(result, begunAt);
        }
        return failure;
    }

    private @Nullable Throwable tryReplace(OutputAttempt<T> attempt, Throwable ofWork) {
        T replacement;
        try {
            replacement = writer.replacementFor(ofWork);
        } catch (Throwable failure) {
            return because(failure, ofWork);
        }
        Throwable failure = tryWrite(attempt, replacement);
        return failure == null ? null : because(failure, ofWork);
    }

    private static Throwable because(Throwable failure, Throwable first) {
        if (failure != first) {
            failure.addSuppressed(first);
        }
        return failure;
    }

    /** The time by {@link System#nanoTime}; 0 without a listener, since the time is not needed then. */
    long nowIfListening() {
        return engine.events() == null ? 0 : server.now();
    }

    boolean awaitAgain(QueuedTicket ticket, BooleanSupplier isOver) {
        return server.awaitAgain(ticket, isOver);
    }

    // the end of a task

    /**
     * A task has ended. A thread that waits for the termination is to find the outputs flushed: if the thread that
     * serves has ended the last task, that task counts until the thread has left.
     */
    void afterServing(OutputTask<T> task) {
        server.afterServing(task);
    }

    void onEnd(OutputTask<T> task) {
        engine.onStrandEnd(tasks.remove(task));
    }

    // the window

    /** There is room for one more. */
    private void onRoom() {
        Limits<?> limits = engine.limits();
        if (limits != null) {
            limits.onRoom(hash);
        }
    }

    /** Lets all submitters that wait for room try again. */
    private void onChange() {
        Limits<?> limits = engine.limits();
        if (limits != null) {
            limits.onRoom();
        }
    }

    public void setWindow(int window) {
        queue.setWindow(window);
        onChange();
    }

    int window() {
        return queue.window();
    }

    // the end

    /**
     * Accepts no more tasks.
     *
     * @return a future that is done when all accepted ones are
     */
    public CompletableFuture<@Nullable Void> end() {
        QueuedTicket last = queue.close();
        // submitters that wait for room are to see that there will be none
        onChange();
        return last.whenServed();
    }

    /** Accepts no more tasks, and cancels those that are not written. */
    public void stop() {
        var unused = end();
        if (!isStopped.getAndSet(true)) {
            // from behind: the slot of one that runs is not to start another
            List<OutputTask<?>> open = own().toList();
            for (int i = open.size() - 1; i >= 0; i--) {
                open.get(i).cancel();
            }
        }
    }

    public boolean isClosed() {
        return queue.isClosed();
    }

    /** The failure that has stopped this output; null if none has. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** A future that is done when all tasks are that were accepted up to now. */
    public CompletableFuture<@Nullable Void> flush() {
        return queue.latest().whenServed();
    }

    // looking at it

    private Stream<OutputTask<?>> own() {
        return tasks.strands().stream().filter(task -> task.output() == this);
    }

    boolean isServedHere() {
        return server.isServedHere();
    }

    /**
     * Whether this output cannot end before the calling thread has done what it does: it runs a task, or writes its
     * result, or completes its future.
     */
    public boolean isHeldUpHere() {
        return isServedHere() || own().anyMatch(OutputTask::isHeldUpHere);
    }

    /** A task, and those of this output that are before it. */
    List<OutputTask<?>> upTo(OutputTask<T> last) {
        return own().filter(task -> !task.isBehind(last)).toList();
    }

    public OutputSnapshot snapshot() {
        SequencerSnapshot order = queue.snapshot();
        return new OutputSnapshot(name, window(), order.open(), order.tail(), order.ageOfOldest());
    }
}
