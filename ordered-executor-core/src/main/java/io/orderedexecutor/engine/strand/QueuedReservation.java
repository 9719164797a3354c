package io.orderedexecutor.engine.strand;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.strand.ReservedPlace.State;
import io.orderedexecutor.engine.task.TaskEvents;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reservation in the queue of a strand; see {@link ReservedPlace} for its states. */
public final class QueuedReservation implements Reservation {
    private final Host host;

    /** What its task belongs to. */
    private final Object key;

    /** The kind of executor and its name, for messages. */
    private final String executor;

    private final @Nullable Duration lease;
    private final ReservedPlace place;

    /**
     * Makes a reservation of the current thread, which then has to put its {@link #place} into a queue.
     *
     * @param lease for how long it may hold up what is behind it; null for ever
     */
    public QueuedReservation(Host host, Object key, String executor, @Nullable Duration lease) {
        this.host = host;
        this.key = key;
        this.executor = executor;
        this.lease = lease;
        this.place = new ReservedPlace(
                host.openPlaces(), host.platform().nanoTime(), lease == null ? () -> {} : this::beginLease);
    }

    /** What is submitted in place of the task. */
    public Runnable place() {
        return place;
    }

    // using it

    @Override
    public void execute(Runnable task) {
        use(TaskFuture.asPlain(Objects.requireNonNull(task, "task")), task);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        TaskFuture<T> future = new CallFuture<>(Objects.requireNonNull(task, "task"));
        use(future, task);
        return future;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task) {
        TaskFuture<T> future = new StageFuture<>(Objects.requireNonNull(task, "task"));
        use(future, task);
        return future;
    }

    private void use(Runnable task, Object submitted) {
        // read before the place is ended: they are right if this thread ends it
        Strand strand = (Strand) place.queue();
        Link link = place.link();
        if (strand != null && link != null && task instanceof WorkFuture<?> future) {
            future.waitIn(strand, link);
        }
        if (strand == null || link == null || !place.end(State.USED)) {
            throw refusal();
        }
        link.fill(place, task);
        TaskEvents events = host.reporter().events();
        if (events != null) {
            events.queued(key, submitted);
        }
        // a server that leaves the strand to the place has seen the task, or its suspension is seen here
        Serving.passOn(strand, place.suspension());
    }

    private RuntimeException refusal() {
        return switch (place.state()) {
            case DISCARDED ->
                new RejectedExecutionException(
                        this + " was given back when the executor was shut down, so its task is " + "not accepted");
            case EXPIRED ->
                new IllegalStateException(this + " was given back when its lease of " + lease
                        + " was over, so its task is not accepted; use it sooner, or make the lease longer");
            case RETURNED -> new IllegalStateException(this + " was given back before, so its task is not accepted");
            case OPEN, USED ->
                new IllegalStateException(
                        this + " was used before, so its task is not accepted; reserve a place for " + "each task");
        };
    }

    @Override
    public boolean isOpen() {
        return place.state() == State.OPEN;
    }

    // giving it back

    @Override
    public void close() {
        giveBack(State.RETURNED);
    }

    /** Gives the place back for a shutdown; false if it has ended before. */
    public boolean discard() {
        return giveBack(State.DISCARDED);
    }

    /** Ends the place without a task; false if it has ended before. */
    boolean giveBack(State how) {
        Strand strand = (Strand) place.queue();
        Link link = place.link();
        if (!place.end(how)) {
            return false;
        }
        if (strand != null && link != null) {
            StrandControl.takeOutUnused(strand, link, place);
        }
        return true;
    }

    // the lease

    private void beginLease() {
        try {
            host.platform().scheduleAsync(Turn.nanos(Objects.requireNonNull(lease)), this::expire);
        } catch (RuntimeException | Error noTimer) {
            // it can still be used and given back
            UncaughtFailures.report(noTimer);
        }
    }

    private void expire() {
        if (giveBack(State.EXPIRED)) {
            UncaughtFailures.report(new TimeoutException(this + " was neither used nor given back within its lease of "
                    + lease + " from its turn on, so what is behind it goes on; close reservations in a "
                    + "try-with-resources statement"));
        }
    }

    @Override
    public String toString() {
        String of = key == TaskEvents.NO_KEY ? "" : " for " + TaskReporter.toString(key);
        return "the reservation" + of + " in " + executor;
    }
}
