package io.orderedexecutor.engine.run;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.Out;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.run.States.Vacancy;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.ReservedPlaces;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reservation. Its state is that of its {@link Place}: the thread that changes the state from a {@link Vacancy} to
 * another kind uses or ends the reservation. Later calls are answered by the new state, or by {@link #end}, since that
 * state may change again.
 */
public class HeldPlace implements Reservation {
    private final Service service;
    private final Object target;
    private final @Nullable Duration lease;
    private final long reservedAt;

    /** Counts the open reservations of the thread that made this one; null if it is not known who will use it. */
    private final @Nullable AtomicInteger ofOwner;

    /** The thread that made this reservation; null once it is used or ended, or if it is not known who will use it. */
    private volatile @Nullable Thread owner;

    /** The reserved place. Written by the thread that makes this reservation, before other threads see the place. */
    private @Nullable Place place;

    /** How the reservation ended without being used. Written after the state of the place. */
    private volatile @Nullable Out end;

    /** Cancels the timer of the lease; null before there is one. Written by the thread that begins the turn. */
    private volatile @Nullable Runnable leaseTimer;

    public HeldPlace(Service service, Object target, @Nullable Duration lease, long reservedAt) {
        this(service, target, lease, reservedAt, ReservedPlaces.begin());
        this.owner = Thread.currentThread();
    }

    protected HeldPlace(
            Service service,
            Object target,
            @Nullable Duration lease,
            long reservedAt,
            @Nullable AtomicInteger ofOwner) {
        this.service = service;
        this.target = target;
        this.lease = lease;
        this.reservedAt = reservedAt;
        this.ofOwner = ofOwner;
    }

    public void setPlace(Place taken) {
        place = taken;
    }

    private Place placeOrThrow() {
        return Objects.requireNonNull(place, "place");
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    /** Visits the orders of the place if the reservation is open. */
    public void forEachOrder(Consumer<? super Order> visitor) {
        Place here = place;
        if (here != null && here.state() instanceof Vacancy) {
            for (int i = 0; i < here.steps(); i++) {
                visitor.accept(here.step(i).order());
            }
        }
    }

    public long reservedAt() {
        return reservedAt;
    }

    /**
     * Called by the submitter when the reservation was not accepted: for example, there was no room, or a key's equals
     * or hashCode threw. If the place has not entered its orders, its room is already given back.
     */
    public void abandon() {
        if (place == null || !place.hasEntered()) {
            forgetOwner();
        } else {
            close(Out.RETURNED);
        }
    }

    // using it

    @Override
    public void execute(Runnable task) {
        Runnable plain = TaskFuture.asPlain(Objects.requireNonNull(task, "task"));
        use(plain, Reports.submitted(plain));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        return use(new TaskFuture.Call<>(Objects.requireNonNull(task, "task")), task);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task) {
        return use(new TaskFuture.Stage<>(Objects.requireNonNull(task, "task")), task);
    }

    private <R extends Runnable> R use(R task, Object submitted) {
        Place here = placeOrThrow();
        if (task instanceof TaskFuture<?> future) {
            future.setPlace(Served.of(here));
        }
        Vacancy filled;
        try {
            filled = fill(task);
            TaskEvents events = service.events();
            if (filled != null && events != null) {
                service.platform().beforeFilled(submitted);
                events.queued(target, submitted);
            }
            if (filled != null && filled.hasTurn()) {
                service.dispatcher().start(here);
            }
        } catch (VirtualMachineError | LinkageError failure) {
            breakIfEnded(here, failure);
            throw failure;
        }
        if (filled == null) {
            if (task instanceof TaskFuture<?> future) {
                future.setPlace(null);
            }
            throw endOf(here.state()) == Out.DISCARDED ? rejected(submitted) : refusal(here.state());
        }
        return task;
    }

    /** Counts a task that comes after a shutdown, and tells listeners of it. */
    private RejectedExecutionException rejected(Object submitted) {
        RejectedExecutionException rejected = service.reports()
                .rejected(
                        Count.SHUTDOWN,
                        this + " was given back when the executor was shut down, so this task is not accepted",
                        null);
        TaskEvents events = service.events();
        if (events != null) {
            events.rejected(target, submitted, rejected);
        }
        return rejected;
    }

    private void breakIfEnded(Place here, Error failure) {
        if (!(here.state() instanceof Vacancy)) {
            service.orders().setBroken(failure);
        }
    }

    /**
     * Fills the place if the reservation is open, and returns its former state; otherwise null. If that state had its
     * turn, the caller has to start the place.
     */
    private @Nullable Vacancy fill(Runnable work) {
        Place here = placeOrThrow();
        while (here.state() instanceof Vacancy vacancy) {
            if (here.change(vacancy, work)) {
                forgetLease();
                forgetOwner();
                return vacancy;
            }
        }
        return null;
    }

    /**
     * Reports an expired lease, as the task of the place. Its class shows how the reservation ended, until {@link #end}
     * is written.
     */
    private final class Expiry implements Runnable {
        private final Runnable report;

        Expiry(Runnable report) {
            this.report = report;
        }

        @Override
        public void run() {
            end = Out.EXPIRED;
            report.run();
        }
    }

    /** Called when the lease of a ticket expires: fills the place, if it is open, with the report, which then runs. */
    public final void expire(Runnable report) {
        Vacancy filled = fill(new Expiry(report));
        if (filled != null) {
            end = Out.EXPIRED;
            if (filled.hasTurn()) {
                service.dispatcher().start(placeOrThrow());
            }
        }
    }

    /** How the reservation ended without being used; null if it is open or was used. */
    protected final @Nullable Out end() {
        return endOf(placeOrThrow().state());
    }

    /**
     * Like {@link #end()}, for a state that the caller has read. Looks at the field {@link #end} and at the state: the
     * thread that ends the reservation writes the state, then the field; the state may change again at any time.
     */
    private @Nullable Out endOf(Object state) {
        Out ended = end;
        if (ended != null) {
            return ended;
        }
        Object task = state instanceof Attempt attempt ? attempt.task : States.unpaused(state);
        if (task instanceof Expiry) {
            return Out.EXPIRED;
        }
        return state == Out.RETURNED || state == Out.EXPIRED || state == Out.DISCARDED ? (Out) state : null;
    }

    private IllegalStateException refusal(Object state) {
        Out ended = endOf(state);
        if (ended == Out.EXPIRED) {
            return new IllegalStateException(this + " was given back when its lease of " + lease
                    + " was over, so this task is not accepted; use it sooner, or make the lease longer");
        }
        if (ended == Out.RETURNED) {
            return new IllegalStateException(this + " was given back before, so this task is not accepted");
        }
        return new IllegalStateException(this + " was used before, so this task is not accepted; " + another());
    }

    /** For error messages: how to get a place for another task. */
    protected String another() {
        return "reserve a place for each task";
    }

    @Override
    public boolean isOpen() {
        return placeOrThrow().state() instanceof Vacancy;
    }

    // giving it back

    @Override
    public void close() {
        close(Out.RETURNED);
    }

    /** Gives back the place; false if it was used, or the reservation has ended before. */
    public final boolean close(Out how) {
        Place here = placeOrThrow();
        try {
            while (here.state() instanceof Vacancy vacancy) {
                if (here.change(vacancy, how)) {
                    end = how;
                    forgetLease();
                    forgetOwner();
                    service.takingBack().leaveUnused(here);
                    return true;
                }
            }
        } catch (VirtualMachineError | LinkageError failure) {
            breakIfEnded(here, failure);
            throw failure;
        }
        return false;
    }

    private void forgetOwner() {
        if (ofOwner != null) {
            owner = null;
            service.reserved().remove(this);
            ReservedPlaces.end(ofOwner);
        }
    }

    // the lease

    /** Called when the place is granted before it has been filled. */
    protected void beginTurn() {
        if (lease != null) {
            try {
                leaseTimer = service.platform().scheduleAsync(TimeUnit.NANOSECONDS.convert(lease), this::expire);
                if (!isOpen()) {
                    // another thread used or ended the reservation, and may not have seen the timer
                    forgetLease();
                }
            } catch (RuntimeException | Error noTimer) {
                // without a timer, it can still be used and given back
                UncaughtFailures.report(noTimer);
            }
        }
    }

    /** Cancels the timer, which would keep the reservation and its key in memory until the lease expires. */
    private void forgetLease() {
        Runnable forgets = leaseTimer;
        if (forgets != null) {
            forgets.run();
        }
    }

    private void expire() {
        if (close(Out.EXPIRED)) {
            UncaughtFailures.report(new TimeoutException(this + " was neither used nor given back within its lease of "
                    + lease + " from its turn on, so the tasks behind it go on; close reservations in a "
                    + "try-with-resources statement"));
        }
    }

    @Override
    public String toString() {
        return "the reservation" + service.describe(" for ", target) + " in " + service.description();
    }
}
