package io.orderedexecutor.engine.run;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.Out;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.run.States.Vacancy;
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
 * A place that is reserved. Its state is that of the {@link Place}: the thread that changes that from a {@link Vacancy}
 * has used or ended the reservation, and all later answers follow from how it did so.
 */
public class HeldPlace implements Reservation {
    private final Service service;
    private final Object target;
    private final @Nullable Duration lease;
    private final long reservedAt;

    /** Counts the open places of the thread that has reserved this one; null if it is not known who will use it. */
    private final @Nullable AtomicInteger ofOwner;

    /** The thread that has reserved it; null once it has ended, and if it is not known who will use it. */
    private volatile @Nullable Thread owner;

    /** Where it is. Written by the thread that makes it, before anybody else sees it. */
    private @Nullable Place place;

    /** How it has ended without being used. Written after the state of the place. */
    private volatile @Nullable Out end;

    /**
     * The action that forgets the timer of the lease; null before there is one. Written by the thread that begins the
     * turn.
     */
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

    /** Visits the orders in which it stands while it is open. */
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

    /** Called by the submitter if there was no room for it, or a key has thrown: its room was given back. */
    public void abandon() {
        if (place == null || !place.hasEntered()) {
            leaveOwner();
        } else {
            close(Out.RETURNED);
        }
    }

    // using it

    @Override
    public void execute(Runnable task) {
        use(TaskFuture.asPlain(Objects.requireNonNull(task, "task")), task);
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
            throw refusal(here.state());
        }
        return task;
    }

    private void breakIfEnded(Place here, Error failure) {
        if (!(here.state() instanceof Vacancy)) {
            service.orders().setBroken(failure);
        }
    }

    /** Fills it, if it is open. Returns what it was before: if that had its turn, the caller has to start the place. */
    private @Nullable Vacancy fill(Runnable work) {
        Place here = placeOrThrow();
        while (here.state() instanceof Vacancy vacancy) {
            if (here.change(vacancy, work)) {
                forgetLease();
                leaveOwner();
                return vacancy;
            }
        }
        return null;
    }

    /** The report that a lease was over, which runs in the place: until the end is written, it is known by this. */
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

    /** Called when its lease is over: fills it, if it is open, with the report of that, which runs in its place. */
    public final void expire(Runnable report) {
        Vacancy filled = fill(new Expiry(report));
        if (filled != null) {
            end = Out.EXPIRED;
            if (filled.hasTurn()) {
                service.dispatcher().start(placeOrThrow());
            }
        }
    }

    /** How it has ended without being used; null if it has not. */
    protected final @Nullable Out end() {
        return endOf(placeOrThrow().state());
    }

    /**
     * The same for a state that was read before: the thread that ends the reservation writes the state first, and then
     * how it has ended.
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

    private RuntimeException refusal(Object state) {
        Out ended = endOf(state);
        if (ended == Out.DISCARDED) {
            return new RejectedExecutionException(
                    this + " was given back when the executor was shut down, so its task is not accepted");
        }
        if (ended == Out.EXPIRED) {
            return new IllegalStateException(this + " was given back when its lease of " + lease
                    + " was over, so its task is not accepted; use it sooner, or make the lease longer");
        }
        if (ended == Out.RETURNED) {
            return new IllegalStateException(this + " was given back before, so its task is not accepted");
        }
        return new IllegalStateException(this + " was used before, so its task is not accepted; " + another());
    }

    /** Tells how to get a place for another task. */
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

    /** Gives it back; false if it was used, or has ended before. */
    public final boolean close(Out how) {
        Place here = placeOrThrow();
        try {
            while (here.state() instanceof Vacancy vacancy) {
                if (here.change(vacancy, how)) {
                    end = how;
                    forgetLease();
                    leaveOwner();
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

    private void leaveOwner() {
        if (ofOwner != null) {
            owner = null;
            service.reserved().remove(this);
            ReservedPlaces.end(ofOwner);
        }
    }

    // the lease

    /** Called when its turn has come, and it is not filled. */
    protected void beginTurn() {
        if (lease != null) {
            try {
                leaseTimer = service.platform().scheduleAsync(TimeUnit.NANOSECONDS.convert(lease), this::expire);
                if (!isOpen()) {
                    // the thread that has used it or given it back may have found no timer
                    forgetLease();
                }
            } catch (RuntimeException | Error noTimer) {
                // it can still be used and given back
                UncaughtFailures.report(noTimer);
            }
        }
    }

    /** A timer would keep the reservation, and the key, until the lease is over. */
    private void forgetLease() {
        Runnable forgets = leaseTimer;
        if (forgets != null) {
            forgets.run();
        }
    }

    private void expire() {
        if (close(Out.EXPIRED)) {
            UncaughtFailures.report(new TimeoutException(this + " was neither used nor given back within its lease of "
                    + lease + " from its turn on, so what is behind it goes on; close reservations in a "
                    + "try-with-resources statement"));
        }
    }

    @Override
    public String toString() {
        return "the reservation" + service.describe(" for ", target) + " in " + service.description();
    }
}
