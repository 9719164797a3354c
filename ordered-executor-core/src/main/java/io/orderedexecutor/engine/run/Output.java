package io.orderedexecutor.engine.run;

import static io.orderedexecutor.engine.run.Settings.UNLIMITED;

import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.pool.PlatformFuture;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.Completion;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OutputSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One ordered output, and the key of the order of its {@linkplain Piece pieces}. Equal to no other.
 *
 * @param <T> the type of the results
 */
public final class Output<T extends @Nullable Object> implements Order.OutputKey, Rooms.WithWindow {

    /**
     * How an output is opened.
     *
     * @param name null for a number
     * @param consumer gets the results
     * @param concurrency how many pieces may be worked on at once, or
     *     {@link io.orderedexecutor.engine.run.Settings#UNLIMITED}
     * @param <T> the type of the results
     */
    public record Settings<T extends @Nullable Object>(
            @Nullable String name,
            Consumer<? super T> consumer,
            int window,
            int concurrency,
            OutputFailure<T> onFailure) {}

    private final Service service;

    /** Returns how much time has passed since a given moment. The first call lets the executor time later pieces. */
    private final LongFunction<Duration> ageSince;

    private final Object key;
    private final String name;
    private final Consumer<? super T> consumer;
    private final OutputFailure<T> onFailure;

    /** Limits the pieces that are accepted and not written. */
    private final Room.Shared window;

    /** Null if any number may be worked on at once. */
    private final @Nullable Slots slots;

    /**
     * When a piece last found no other one in the window; 0 if none has. Written by its submitter, before the piece
     * enters.
     */
    private volatile long busySince;

    /** Submitters read it before and after their piece enters the order, so that {@link #end} misses none. */
    private volatile boolean closed;

    /** The first failure of a piece that was left out; null if there is none. Written by the thread that writes. */
    private volatile @Nullable Throwable failure;

    public Output(Service service, LongFunction<Duration> ageSince, Object key, String name, Settings<T> settings) {
        this.service = service;
        this.ageSince = ageSince;
        this.key = key;
        this.name = name;
        this.consumer = settings.consumer();
        this.onFailure = settings.onFailure();
        this.window = new Room.Shared(service.rooms(), settings.window(), 1);
        this.slots = settings.concurrency() == UNLIMITED ? null : new Slots(settings.concurrency());
    }

    public String name() {
        return name;
    }

    /** The public object of this output, which names it in explanations and statistics. */
    public Object key() {
        return key;
    }

    @Override
    public Room.Shared window() {
        return window;
    }

    @Nullable
    public Slots slots() {
        return slots;
    }

    public void noteBusySince(long now) {
        busySince = now;
    }

    public String describe() {
        return "output '" + name + "' of " + service.description();
    }

    public Explanation.Place where() {
        return new Explanation.Place(service.name(), "output", name);
    }

    // writing

    /** Writes the result of a piece whose turn has come, and completes its future. */
    @SuppressWarnings("unchecked") // the pieces of this output have such futures
    void write(Piece piece, Attempt attempt) {
        TaskFuture.Piece<T> future = (TaskFuture.Piece<T>) Objects.requireNonNull(attempt.future());
        Throwable thrown = future.thrown();
        Throwable failure;
        if (thrown == null) {
            failure = tryWrite(piece, attempt, future, future.result());
        } else if (onFailure instanceof OutputFailure.Replace<T> replace) {
            failure = tryReplace(piece, attempt, future, replace, thrown);
        } else {
            failure = thrown;
        }
        if (failure != null) {
            fail(piece, future, failure);
        }
    }

    /** Returns the failure of the consumer; null if there is none. */
    private @Nullable Throwable tryWrite(Piece piece, Attempt attempt, TaskFuture.Piece<T> future, T result) {
        TaskEvents events = service.events();
        long begunAt = events == null ? 0 : service.platform().nanoTime();
        try {
            consumer.accept(result);
        } catch (Throwable ofConsumer) {
            return ofConsumer;
        }
        // before dependent actions of the future run, so that they find room
        piece.giveBackWindow();
        Object work = attempt.work();
        if (events != null && work != null) {
            events.written(
                    key, work, begunAt - attempt.workedAt(), service.platform().nanoTime() - begunAt);
        }
        future.finish(result, null);
        return null;
    }

    private @Nullable Throwable tryReplace(
            Piece piece,
            Attempt attempt,
            TaskFuture.Piece<T> future,
            OutputFailure.Replace<T> replace,
            Throwable ofWork) {
        T replacement;
        try {
            replacement = replace.replacement().apply(ofWork);
        } catch (Throwable ofReplacement) {
            return because(ofReplacement, ofWork);
        }
        Throwable ofConsumer = tryWrite(piece, attempt, future, replacement);
        return ofConsumer == null ? null : because(ofConsumer, ofWork);
    }

    private static Throwable because(Throwable failure, Throwable first) {
        if (failure != first) {
            failure.addSuppressed(first);
        }
        return failure;
    }

    private void fail(Piece piece, TaskFuture<?> future, Throwable thrown) {
        boolean stops = onFailure instanceof OutputFailure.Close<T>;
        if (failure == null) {
            failure = thrown;
        }
        if (onFailure instanceof OutputFailure.Omit<T> omit) {
            try {
                omit.report().accept(thrown);
            } catch (Throwable ofReport) {
                UncaughtFailures.report(ofReport);
            }
        }
        if (stops) {
            close();
        }
        piece.giveBackWindow();
        future.fail(thrown);
        if (stops) {
            cancelAll();
        }
    }

    // the end

    /**
     * A place behind all accepted pieces, which is over as soon as it is granted. It is shared: so any number of
     * flushes are granted together, and not each nested in the one before.
     */
    private static final class Flush extends Place.Shared implements Served {
        /** Counts as no task, and has nothing to run. */
        private static final class NoTask extends Place.State {
            @Override
            public boolean isQueued() {
                return false;
            }

            @Override
            protected boolean isReadyWhenGranted(Place place) {
                return false;
            }
        }

        private static final Place.State WAITS = new NoTask();

        /** A thread completes the future. */
        private static final Place.State ENDS = new NoTask();

        private final CompletableFuture<@Nullable Void> future = new PlatformFuture<>();

        /** The thread that completes the future. */
        private volatile @Nullable Thread thread;

        Flush(Orders orders, Output<?> output) {
            super(WAITS, orders, output.key, 0);
        }

        @Override
        @Nullable
        public Thread thread() {
            return thread;
        }

        /**
         * Completes the future before the place leaves, so that the executor has not terminated yet when dependent
         * actions run.
         */
        @Override
        public boolean endsWhenGranted() {
            if (!change(WAITS, ENDS)) {
                return false;
            }
            thread = Thread.currentThread();
            UncaughtFailures.containing(future, () -> future.complete(null));
            thread = null;
            setLeft();
            return true;
        }

        @Override
        public boolean isOverWhenGranted() {
            return true;
        }
    }

    /** Returns a future that completes when all pieces accepted so far are over. */
    public CompletableFuture<@Nullable Void> flush() {
        // the caller may wait for the flush in a dependent action of a piece, which leaves only afterwards
        Completion.followAll(service.lifecycle());
        Flush flush = new Flush(service.orders(), this);
        if (!service.orders().enterBehind(flush, this)) {
            flush.future.complete(null);
        }
        return flush.future;
    }

    /**
     * Accepts no more pieces.
     *
     * @return a future that completes when all accepted pieces are over
     */
    public CompletableFuture<@Nullable Void> end() {
        close();
        // a dependent action of a future that was completed early may call this, and wait: its piece has to leave first
        for (Place place : places()) {
            service.takingBack().leaveIfDone(place);
        }
        return flush();
    }

    /** Waits until a future of {@link #end} or {@link #flush} is complete, or an Error has broken the executor. */
    public void awaitEnd(CompletableFuture<?> end) throws InterruptedException {
        while (!end.isDone() && !service.lifecycle().isBroken()) {
            try {
                // not by a Signal: a ForkJoinPool can run another thread while one of its own waits in get
                end.get(service.platform().patienceNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException elapsed) {
                // look again whether the executor is broken
            } catch (ExecutionException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /** As above, but throws if an Error has broken the executor. */
    public void awaitSoundEnd(CompletableFuture<?> end) throws InterruptedException {
        awaitEnd(end);
        if (!end.isDone()) {
            service.lifecycle().requireSound();
        }
    }

    private void close() {
        closed = true;
        // submitters that wait for room have to see that they wait in vain
        window.wakeAll();
        Room inExecutor = service.rooms().inExecutor();
        if (inExecutor != null && window.isKept()) {
            // some submitters have room in the window, and wait for room in the executor
            inExecutor.wakeAll();
        }
    }

    /** Accepts no more pieces, and cancels those that are not written. The order matters: see {@link #closed}. */
    public void stop() {
        close();
        cancelAll();
    }

    private void cancelAll() {
        // the last piece first: otherwise the slot of a cancelled piece would start a later one
        List<Place> places = places();
        for (int i = places.size() - 1; i >= 0; i--) {
            service.takingBack().cancel(places.get(i));
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** The first failure of a piece that was left out; null if there is none. */
    public @Nullable Throwable failure() {
        return failure;
    }

    public void requireOpen() {
        if (closed) {
            Throwable cause = onFailure instanceof OutputFailure.Close<T> ? failure : null;
            throw service.reports()
                    .rejected(
                            Count.SHUTDOWN,
                            describe() + (cause == null ? " is closed" : " was stopped by a failure")
                                    + " and accepts no more pieces",
                            cause);
        }
    }

    // looks

    /** The pieces and flushes that are not over, in order. */
    List<Place> places() {
        Order order = service.orders().find(this);
        return order == null ? List.of() : service.survey().placesIn(order);
    }

    /** The first piece that is not over; null if there is none. */
    @Nullable
    public Piece head() {
        for (Place place : places()) {
            if (place instanceof Piece piece) {
                return piece;
            }
        }
        return null;
    }

    /**
     * Whether this output cannot end while the calling thread waits, since the thread works on a piece, writes its
     * result, or completes its future or that of a flush.
     */
    public boolean isHeldUpHere() {
        Thread here = Thread.currentThread();
        for (Place place : places()) {
            if (place.thread() == here) {
                return true;
            }
        }
        return false;
    }

    public OutputSnapshot snapshot() {
        // read first: pieces that are accepted between the two reads can make the number of open ones too low only
        long taken = window.taken();
        long done = Math.min(window.givenBack(), taken);
        Duration age = Duration.ZERO;
        for (Place place : places()) {
            if (place instanceof Piece piece && !piece.isOutOfWindow()) {
                long since = piece.acceptedAt() == 0 ? busySince : piece.acceptedAt();
                // 0 if thread A has found no other piece, and not yet noted when, and thread B has entered behind it
                age = since == 0 ? Duration.ZERO : ageSince.apply(since);
                break;
            }
        }
        return new OutputSnapshot(name, window.size(), taken - done, done, age);
    }
}
