package io.orderedexecutor.engine.admit;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One order whose places are reserved one by one, or by their numbers. The threads that bring the work serve it. It is
 * never empty: behind all tickets that were issued stands the <i>end</i>, the place of the first number that nobody
 * has. So a thread that leaves a place grants the next one, and by that moves the front. A number is
 *
 * <pre>
 *   unknown ──▶ waiting   a caller asks for it, and it is beyond the window, which counts from the front
 *   waiting ──▶ unknown   the caller gives up: the time is over, an interrupt, a future that its holder has completed
 *   unknown, waiting ──▶ ahead   it is issued, and one before it is unknown or waiting: it is in no order yet
 *   unknown, waiting ──▶ placed  it is issued, and was the end; those that are ahead of it next are placed, too
 *   ahead ──▶ placed      all before it are placed or passed
 *   unknown ──▶ passed    by {@link #advanceTo}, or since the sequence is stopped; an end is given back then
 * </pre>
 *
 * <p>All of these are steps under the bin of the order, which a thread has for a few writes. The thread sees to the
 * granted places when it has let go of the bin. A ticket that is placed has the states of each {@link Place}; the
 * thread that fills the front, or leaves the place before one that is filled, runs it, and those behind it for a turn.
 * Then another thread goes on: one that waits for a ticket here, since it waits for just that and there may be no
 * other, or one of the executor.
 *
 * <p>To leave an output to the thread that serves the one before it, instead of waiting for its turn, is the idea of
 * Ullink's ordered scheduler, after an article by Intel on ordered data streams.
 */
public final class Sequencer {

    /** Asks for the next number, whatever it is. */
    public static final long NEXT = -1;

    private static final VarHandle FRONT;

    static {
        try {
            FRONT = MethodHandles.lookup().findVarHandle(Sequencer.class, "front", Ticket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Why nothing runs any more; the failure is null if the stop was asked for. */
    private record Stop(@Nullable Throwable failure) {
        String reason() {
            return failure == null ? "the sequence was stopped" : "the sequence was stopped by a failure";
        }

        RejectedExecutionException refusal(String what) {
            return new RejectedExecutionException(what + ": " + reason(), failure);
        }
    }

    private final SequencerSettings settings;
    private final Platform platform;
    private final Callers callers;
    private final Service service;
    private final Order order;
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    /**
     * The place that was granted last: all before it are done. Moved forward by the thread that grants the next one.
     */
    private volatile Ticket front;

    // guarded by the bin

    private Ticket end;

    /** How many tickets were issued. */
    private long issued;

    private final NavigableMap<Long, Ticket> ahead = new TreeMap<>();

    /** Unknown numbers before this one are passed as soon as all before them are placed. */
    private long passedTo;

    /**
     * The callers that wait for a ticket, by its number; or, if they wait for the next, in the order in which they
     * came.
     */
    private final NavigableMap<Long, Request> waiting = new TreeMap<>();

    private long requests;

    /** The futures of callers that wait until the front has come to a number. */
    private final NavigableMap<Long, CompletableFuture<@Nullable Void>> flushes = new TreeMap<>();

    // others

    /**
     * How many callers wait for a ticket or the front. Written under the bin, and read by threads that have moved the
     * front.
     */
    private volatile int watched;

    /** How many threads have found a caller waiting; the first of them tells all callers. */
    private final AtomicInteger tellers = new AtomicInteger();

    /** The thread that tells the callers that have waited; written by this thread. */
    private volatile @Nullable Thread telling;

    /** Whether the timer of the lease runs, or somebody looks whether it has to. */
    private final AtomicBoolean watching = new AtomicBoolean();

    /** Begins; the settings are its own. */
    Sequencer(SequencerSettings settings, Platform platform) {
        this.settings = settings;
        this.platform = platform;
        this.callers = new Callers(platform.borrowed("tickets", settings.executor), settings.turn, platform);
        this.service = new Service(
                new Settings(
                        "tickets",
                        Settings.UNLIMITED,
                        Settings.UNLIMITED,
                        true,
                        Overflow.reject(),
                        FailurePolicy.proceed(),
                        List.of(),
                        platform),
                "the sequencer",
                callers,
                place -> TaskEvents.NO_KEY,
                () -> {});
        this.end = new Ticket(this, service, Math.max(settings.first, 0));
        this.front = end;
        this.order = service.orders().openForGood(end.place);
    }

    SequencerSettings settings() {
        return settings;
    }

    /** Runs an action under the bin, and then sees to what that grants: nothing, unless an end was given back. */
    private <T extends @Nullable Object> T under(Supplier<T> action) {
        return service.orders().under(order.bin(), action);
    }

    // issuing

    /**
     * Issues a ticket, and waits while there is no room for it.
     *
     * @param number {@link #NEXT}, or one from outside
     */
    public Reservation await(long number, long nanos) throws InterruptedException, TimeoutException {
        Ticket ticket = issue(number, false, null);
        if (ticket == null && isServedHere()) {
            // others wait for this thread, and so it may overtake them
            ticket = issue(number, true, null);
            if (ticket == null) {
                throw new SelfWaitException("an output waits for room in the window of " + settings.window
                        + " tickets, which is full of its own ticket and later ones; use "
                        + (isNumbered() ? "tryAt(number) or atAsync(number)" : "tryNext() or nextAsync()")
                        + " inside an output");
            }
        }
        if (ticket != null) {
            return ticket;
        }
        if (nanos <= 0) {
            throw noRoomWithin(nanos);
        }
        return new Waiter(request(number), nanos).await();
    }

    /** As below, for any length of time. */
    public Reservation await(long number) throws InterruptedException {
        try {
            return await(number, Long.MAX_VALUE);
        } catch (TimeoutException after292Years) {
            throw new IllegalStateException(after292Years);
        }
    }

    /** Issues a ticket if there is room for it, and no other caller waits for the same; null if not. */
    public @Nullable Reservation tryIssue(long number) {
        return issue(number, false, null);
    }

    private @Nullable Ticket issue(long number, boolean overtakes, @Nullable Request otherwise) {
        service.lifecycle().requireSound();
        long now = platform.nanoTime();
        Ticket ticket = under(() -> {
            requireRunning();
            requireUnknown(number);
            Ticket issued = issueIfRoom(number, overtakes, now);
            if (issued == null && otherwise != null) {
                otherwise.key = isNumbered() ? number : requests++;
                waiting.put(otherwise.key, otherwise);
                watch(1);
            }
            return issued;
        });
        watchLease();
        return ticket;
    }

    /** Issues a ticket, now or when there is room for it. */
    public CompletableFuture<Reservation> request(long number) {
        Request request = new Request();
        Ticket ticket;
        try {
            ticket = issue(number, false, request);
        } catch (RejectedExecutionException stopped) {
            return CompletableFuture.failedFuture(stopped);
        }
        if (ticket != null) {
            return CompletableFuture.completedFuture(ticket);
        }
        // the front may have moved before this one could be seen
        tell();
        return request;
    }

    private boolean isNumbered() {
        return settings.first != NEXT;
    }

    private @Nullable Ticket issueIfRoom(long number, boolean overtakes, long now) {
        if (isNumbered()) {
            return hasRoom(number) ? issue(number, now) : null;
        }
        boolean isNext = overtakes || waiting.isEmpty();
        return isNext && hasRoom(end.number + waiting.size()) ? issue(end.number, now) : null;
    }

    private boolean hasRoom(long number) {
        return number - front.number < settings.window;
    }

    private Ticket issue(long number, long now) {
        issued++;
        Ticket ticket = end;
        if (number == end.number) {
            ticket.setIssued(now);
            placeFrom(number + 1, ticket.ordinal() + 1);
        } else {
            ticket = new Ticket(this, service, number);
            ticket.setIssued(now);
            ahead.put(number, ticket);
        }
        return ticket;
    }

    /** Places the tickets that were issued ahead and follow a number directly, and an end behind them. */
    private void placeFrom(long number, long ordinal) {
        long next = number;
        long before = ordinal;
        boolean isOver = false;
        while (!isOver) {
            Ticket placed = ahead.isEmpty() ? null : ahead.remove(next);
            long kept = firstKept();
            if (placed != null) {
                place(placed, before++);
                next++;
            } else if (kept > next) {
                next = kept;
            } else {
                isOver = true;
            }
        }
        end = new Ticket(this, service, next);
        place(end, before);
    }

    private void place(Ticket ticket, long ordinal) {
        ticket.setOrdinal(ordinal);
        order.bin().enterLate(order, ticket.place);
    }

    /** The first number that is not to be passed, if it is not placed: it is ahead, or waited for, or behind all. */
    private long firstKept() {
        long firstAhead = ahead.isEmpty() ? Long.MAX_VALUE : ahead.firstKey();
        long firstAwaited = isNumbered() && !waiting.isEmpty() ? waiting.firstKey() : Long.MAX_VALUE;
        return Math.min(passedTo, Math.min(firstAhead, firstAwaited));
    }

    /** Whether a number may be issued; throws if it is out of range, was issued or passed, or is waited for. */
    private void requireUnknown(long number) {
        if (!isNumbered()) {
            return;
        }
        if (number < settings.first || number == Long.MAX_VALUE) {
            throw new IllegalArgumentException("number " + number + " is none of this sequencer, whose tickets are"
                    + " numbered from " + settings.first + " to " + (Long.MAX_VALUE - 1));
        }
        String before = waiting.containsKey(number)
                ? "a caller waits for its ticket"
                : number < end.number || ahead.containsKey(number)
                        ? "its ticket was issued, or it was passed"
                        : number < passedTo ? "it was passed by advanceTo(" + passedTo + ")" : null;
        if (before != null) {
            throw new IllegalArgumentException("number " + number + " comes too late or twice: " + before
                    + "; each number has one ticket, which can be used once");
        }
    }

    /** Passes all numbers before this one that nobody has asked for. */
    public void advanceTo(long number) {
        if (number < settings.first) {
            throw new IllegalArgumentException("there is nothing to pass before " + number
                    + ": the tickets of this sequencer are numbered from " + settings.first);
        }
        under(() -> passedTo = Math.max(passedTo, number));
        pass();
    }

    private void pass() {
        Ticket gap = under(this::passEnd);
        if (gap != null) {
            gap.close();
        }
    }

    /**
     * Replaces an end whose number is passed by another end; returns the replaced one, to be closed without the bin.
     */
    private @Nullable Ticket passEnd() {
        Ticket passed = firstKept() > end.number ? end : null;
        if (passed != null) {
            placeFrom(passed.number, passed.ordinal());
        }
        return passed;
    }

    // those who wait

    /**
     * A caller that waits for a ticket. It is decided under the bin whether the request gets a ticket, or its holder
     * completes it.
     */
    private final class Request extends CompletableFuture<Reservation> {
        /** Written under the bin, before the request waits. */
        private long key;

        /** Written under the bin, when the request no longer waits. */
        private @Nullable Ticket ticket;

        /** Called by the holder; returns whether no ticket will come. */
        private boolean withdraw() {
            boolean[] withdrawn = {false};
            Ticket gap = under(() -> {
                if (!waiting.remove(key, this)) {
                    return null;
                }
                watch(-1);
                withdrawn[0] = true;
                // the number was waited for when those around it were passed
                return passEnd();
            });
            if (gap != null && gap == front) {
                // this may be a thread of a timer, which must not run what is behind
                callers.runElsewhere(gap::close);
            } else if (gap != null) {
                gap.close();
            }
            return withdrawn[0];
        }

        @Override
        public boolean complete(@Nullable Reservation value) {
            return withdraw() && super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return withdraw() && super.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            return withdraw() ? super.cancel(mayInterrupt) : isCancelled();
        }

        void grant() {
            super.complete(ticket);
        }

        void refuse(Throwable refusal) {
            super.completeExceptionally(refusal);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the bin only
    private void watch(int more) {
        watched += more;
    }

    /** The place of a ticket is granted: the front moves. */
    void comeTo(Ticket granted) {
        if (settings.lease != null) {
            granted.setGranted(platform.nanoTime());
        }
        Ticket seen = front;
        while (seen.number < granted.number && !FRONT.compareAndSet(this, seen, granted)) {
            seen = front;
        }
        tell();
    }

    /**
     * Completes the futures of callers whose wait is over. Only one thread does so: dependent actions may come here
     * again, and must neither be nested without end nor wait for themselves.
     */
    private void tell() {
        if (watched == 0 || tellers.getAndIncrement() > 0) {
            return;
        }
        try {
            int seen = 1;
            while (seen != 0) {
                telling = Thread.currentThread();
                tellOnce();
                telling = null;
                seen = tellers.addAndGet(-seen);
            }
        } catch (VirtualMachineError | LinkageError failure) {
            // nobody else tells from now on
            service.orders().setBroken(failure);
            throw failure;
        }
    }

    private void tellOnce() {
        long now = platform.nanoTime();
        List<CompletableFuture<@Nullable Void>> flushed = new ArrayList<>();
        List<Request> granted = new ArrayList<>();
        under(() -> {
            long reached = front.number;
            while (!flushes.isEmpty() && flushes.firstKey() <= reached) {
                flushed.add(flushes.pollFirstEntry().getValue());
            }
            while (!waiting.isEmpty() && hasRoom(isNumbered() ? waiting.firstKey() : end.number)) {
                Request first = waiting.pollFirstEntry().getValue();
                first.ticket = issue(isNumbered() ? first.key : end.number, now);
                granted.add(first);
            }
            watch(-flushed.size() - granted.size());
            return null;
        });
        watchLease();
        flushed.forEach(future -> UncaughtFailures.containing(future, () -> future.complete(null)));
        granted.forEach(request -> UncaughtFailures.containing(request, request::grant));
    }

    /**
     * Whether the calling thread holds up the sequence: it runs an output, or completes futures between two outputs.
     */
    private boolean isServedHere() {
        return telling == Thread.currentThread() || service.lifecycle().isInsideTask();
    }

    private TimeoutException noRoomWithin(long nanos) {
        Ticket first = front;
        return new TimeoutException("there was no room in the window of " + settings.window + " tickets within "
                + Duration.ofNanos(Math.max(0, nanos)) + "; the first one that is open is "
                + (first.isIssued() ? first : "number " + first.number + ", whose ticket nobody has asked for"));
    }

    // threads

    /**
     * The threads that come with tickets. Work that one of them leaves at the end of its turn is kept here until
     * another thread has taken it. A thread that waits for a ticket looks here before it parks, and whenever it wakes
     * up.
     */
    private static final class Callers extends BorrowedWorkers {
        private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();

        /** The threads that are about to park, or have parked. The last one is called first: its caches are warm. */
        private final ConcurrentLinkedDeque<Waiter> parked = new ConcurrentLinkedDeque<>();

        Callers(Executor executor, Turn turn, Platform platform) {
            super("tickets", executor, turn, platform);
        }

        @Override
        public boolean areCallers() {
            return true;
        }

        @Override
        public boolean passOn(Runnable work) {
            left.add(work);
            Waiter waiter = parked.pollLast();
            if (waiter != null) {
                platform().unpark(waiter.thread);
                return true;
            }
            // if nobody will, it is this thread's again, unless one has come for it all the same
            return super.passOn(this::goOn) || !left.remove(work);
        }

        /**
         * Called by a thread that must not run the work: a thread that waits for a ticket runs it, or one of the
         * executor, or the helper.
         */
        void runElsewhere(Runnable work) {
            if (!passOn(work)) {
                helper().add(work);
            }
        }

        void goOn() {
            Runnable work = left.poll();
            if (work != null) {
                work.run();
            }
        }
    }

    /**
     * A thread that waits for a ticket, and serves meanwhile if it is called. It does nothing else: {@code get} of a
     * future, in a thread of a {@link ForkJoinPool}, runs other tasks of that pool, which may wait behind this one.
     */
    private final class Waiter implements ForkJoinPool.ManagedBlocker {
        final Thread thread = Thread.currentThread();
        private final CompletableFuture<Reservation> request;
        private final long nanos;
        private final long begunAt = platform.nanoTime();

        /** Whether it waits for the ticket without a limit, which comes at once. */
        private boolean isGranted;

        @SuppressWarnings("FutureReturnValueIgnored") // the action cannot fail
        Waiter(CompletableFuture<Reservation> request, long nanos) {
            this.request = request;
            this.nanos = nanos;
            request.whenComplete((ticket, failure) -> platform.unpark(thread));
        }

        Reservation await() throws InterruptedException, TimeoutException {
            boolean interrupted = false;
            try {
                while (!request.isDone()) {
                    interrupted |= parkOnce();
                    callers.goOn();
                    if (isGranted && !request.isDone()) {
                        // if an Error has struck the thread that was to complete it
                        service.lifecycle().requireSound();
                    } else if (!isGranted
                            && (interrupted
                                    || remaining() <= 0
                                    || service.lifecycle().isBroken())) {
                        isGranted = !request.cancel(false);
                        if (!isGranted && interrupted) {
                            interrupted = false;
                            throw new InterruptedException();
                        } else if (!isGranted) {
                            service.lifecycle().requireSound();
                            throw noRoomWithin(nanos);
                        }
                    }
                }
            } finally {
                if (interrupted) {
                    thread.interrupt();
                }
            }
            try {
                return request.join();
            } catch (CompletionException stopped) {
                requireRunning();
                throw stopped;
            }
        }

        /** Returns whether the thread was interrupted. */
        private boolean parkOnce() throws InterruptedException {
            callers.parked.addLast(this);
            try {
                ForkJoinPool.managedBlock(this);
            } catch (RejectedExecutionException noOtherThread) {
                block();
            } finally {
                callers.parked.remove(this);
            }
            return Thread.interrupted();
        }

        @Override
        public boolean block() {
            if (!isReleasable()) {
                platform.parkNanos(this, Math.min(isGranted ? Long.MAX_VALUE : remaining(), platform.patienceNanos()));
            }
            return true;
        }

        @Override
        public boolean isReleasable() {
            return request.isDone() || !callers.left.isEmpty() || thread.isInterrupted();
        }

        private long remaining() {
            return nanos - (platform.nanoTime() - begunAt);
        }
    }

    // outputs

    /** The work of a place, unless the sequence is stopped by then; the handler gets what it throws. */
    Runnable outputOf(Ticket ticket, Runnable task) {
        Callable<?> output = outputOf(ticket, Executors.callable(Objects.requireNonNull(task, "task")));
        return () -> {
            try {
                output.call();
            } catch (Throwable failure) {
                tellHandler(ticket, failure);
            }
        };
    }

    /** As above; its future gets what it throws. */
    <T extends @Nullable Object> Callable<T> outputOf(Ticket ticket, Callable<T> task) {
        requireOpen(ticket, task);
        return () -> {
            requireNotStopped(ticket);
            try {
                return task.call();
            } catch (Throwable failure) {
                stopAfter(failure);
                throw failure;
            }
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the action cannot fail
    <T extends @Nullable Object> Supplier<CompletionStage<T>> outputOf(
            Ticket ticket, Supplier<? extends CompletionStage<T>> task) {
        requireOpen(ticket, task);
        return () -> {
            requireNotStopped(ticket);
            try {
                CompletionStage<T> stage = task.get();
                if (settings.stopsOnFailure && stage != null) {
                    stage.whenComplete((result, failure) -> {
                        if (failure != null) {
                            stopAfter(failure);
                        }
                    });
                }
                return stage;
            } catch (Throwable failure) {
                stopAfter(failure);
                throw failure;
            }
        };
    }

    private void requireNotStopped(Ticket ticket) {
        Stop stopped = stop.get();
        if (stopped != null) {
            CancellationException cancelled =
                    new CancellationException("ticket " + ticket.number + " did not run: " + stopped.reason());
            cancelled.initCause(stopped.failure());
            throw cancelled;
        }
    }

    private void tellHandler(Ticket ticket, Throwable failure) {
        try {
            settings.handler.accept(ticket.number, failure);
        } catch (Throwable ofHandler) {
            UncaughtFailures.report(ofHandler);
        }
    }

    // leases

    /**
     * Called when a ticket has come to the front, or was issued. A lease begins when both have happened: a ticket
     * behind others holds up nobody, however old it is. So there is one timer for all, which runs while the front is
     * awaited.
     */
    void watchLease() {
        Ticket awaited = awaited();
        if (awaited != null && !watching.get() && watching.compareAndSet(false, true)) {
            scheduleLook(leaseLeft(awaited));
        }
    }

    private @Nullable Ticket awaited() {
        Ticket first = settings.lease == null ? null : front;
        return first != null && first.isIssued() && first.isOpen() ? first : null;
    }

    private long leaseLeft(Ticket awaited) {
        return TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(settings.lease))
                - (platform.nanoTime() - awaited.awaitedSince());
    }

    private void lookAtLease() {
        Ticket awaited = awaited();
        if (awaited == null) {
            watching.set(false);
            // one that was awaited before the write above has seen a timer, and relies on this look
            watchLease();
            return;
        }
        long left = leaseLeft(awaited);
        if (left > 0) {
            scheduleLook(left);
        } else {
            // this is a thread of the timer, which must not run what is behind
            callers.runElsewhere(() -> {
                expire(awaited);
                lookAtLease();
            });
        }
    }

    private void expire(Ticket ticket) {
        TimeoutException over = new TimeoutException("ticket " + ticket.number
                + " was neither used nor given back within its lease of " + settings.lease
                + " from its turn on, so what"
                + " is behind it goes on; close tickets in a try-with-resources statement");
        ticket.expire(() -> tellHandler(ticket, over));
    }

    private void scheduleLook(long left) {
        try {
            platform.scheduleAsync(Math.max(0, left), this::lookAtLease);
        } catch (RuntimeException | Error noTimer) {
            // the next ticket that is awaited tries again
            watching.set(false);
            UncaughtFailures.report(noTimer);
        }
    }

    // the end

    private void stopAfter(Throwable failure) {
        if (settings.stopsOnFailure) {
            boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
            stop(new Stop(isWrapped ? failure.getCause() : failure));
        }
    }

    /** Stops the sequence: no output begins any more. */
    public void stop() {
        stop(new Stop(null));
    }

    private void stop(Stop reason) {
        if (!stop.compareAndSet(null, reason)) {
            return;
        }
        List<Request> refused = under(() -> {
            List<Request> waited = List.copyOf(waiting.values());
            waiting.clear();
            watch(-waited.size());
            passedTo = Math.max(passedTo, behindAll());
            return waited;
        });
        RejectedExecutionException refusal = reason.refusal("no more tickets are issued");
        refused.forEach(request -> UncaughtFailures.containing(request, () -> request.refuse(refusal)));
        // numbers that are missing will not come any more
        pass();
    }

    private void requireRunning() {
        Stop stopped = stop.get();
        if (stopped != null) {
            throw stopped.refusal("no more tickets are issued");
        }
    }

    /** Called by a thread that is about to use a ticket. */
    private void requireOpen(Ticket ticket, Object task) {
        Objects.requireNonNull(task, "task");
        Stop stopped = stop.get();
        if (stopped != null && ticket.close(Place.Out.RETURNED)) {
            throw stopped.refusal(ticket + " has no turn any more");
        }
    }

    /** Returns a future that is done when all tickets that were issued up to now are done. */
    public CompletableFuture<@Nullable Void> flush() {
        CompletableFuture<@Nullable Void> flushed = under(() -> {
            CompletableFuture<@Nullable Void> before = flushes.get(behindAll());
            if (before == null) {
                before = new CompletableFuture<>();
                flushes.put(behindAll(), before);
                watch(1);
            }
            return before;
        });
        tell();
        // a copy: what a caller makes of it is no business of others
        return flushed.copy();
    }

    /** The first number behind all issued ones. */
    private long behindAll() {
        return ahead.isEmpty() ? end.number : ahead.lastKey() + 1;
    }

    // looks

    public SequencerSnapshot snapshot() {
        return under(() -> {
            Ticket first = front;
            Ticket oldest = first.isIssued() || ahead.isEmpty()
                    ? first
                    : ahead.firstEntry().getValue();
            long open = issued - first.ordinal();
            Duration age = open > 0 && oldest.isIssued()
                    ? Duration.ofNanos(platform.nanoTime() - oldest.issuedAt())
                    : Duration.ZERO;
            return new SequencerSnapshot(first.number, open, age);
        });
    }

    /** For people to read. */
    @Override
    public String toString() {
        return "[window " + settings.window + ", " + snapshot() + "]";
    }
}
