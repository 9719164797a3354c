package io.orderedexecutor.engine.admit;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.PlatformFuture;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.engine.task.Causes;
import io.orderedexecutor.engine.task.Completion;
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
 * One order whose places are reserved one by one, or by their numbers. The threads that bring the work also run it. The
 * order is never empty: behind all other places in it stands the <i>end</i>, the place of the first number that is
 * neither issued nor passed. So there is always a place to grant when another one leaves. The <i>front</i> is the
 * ticket that was granted last; all tickets before it are done. A number is
 *
 * <pre>
 *   unknown ──▶ waiting   a caller asks for it, but it is beyond the window, which begins at the front
 *   waiting ──▶ unknown   the caller gives up, the holder of its future completes it, or the sequence is stopped
 *   unknown, waiting ──▶ ahead   it is issued, but a number before it is unknown or waiting: it is in no order yet
 *   unknown, waiting ──▶ placed  it is issued, and was the end; the numbers ahead that follow directly are placed, too
 *   ahead ──▶ placed      all numbers before it are placed or passed
 *   unknown ──▶ passed    by {@link #advanceTo}, or since the sequence is stopped; if it is the number of the end, the
 *                         thread makes another end, then gives back the former one
 * </pre>
 *
 * <p>A thread makes these changes under the bin of the order, and starts the granted places after it has released the
 * bin. A placed ticket has the same states as any {@link Place}. The thread that fills the front runs the front; the
 * thread that ends the place before a filled one runs the filled one. Either thread goes on with the filled places
 * behind, for a turn. Then another thread continues: one that waits for a ticket here, since there may be no other
 * thread, or one of the executor. If the executor refuses, the same thread goes on.
 *
 * <p>A thread does not wait for the turn of its output, but leaves the output to the thread that runs the one before.
 * This is the idea of Ullink's ordered scheduler, after an article by Intel on ordered data streams.
 */
public final class Sequencer {

    /** Stands for the next number, whatever it is. */
    public static final long NEXT = -1;

    private static final VarHandle FRONT;

    static {
        try {
            FRONT = MethodHandles.lookup().findVarHandle(Sequencer.class, "front", Ticket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Why no output runs any more; the failure is null if {@link #stop()} was called. */
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

    /** The ticket that was granted last: all before it are done. Written by the thread that grants the next ticket. */
    private volatile Ticket front;

    // guarded by the bin

    private Ticket end;

    /** How many tickets were issued. */
    private long issued;

    private final NavigableMap<Long, Ticket> ahead = new TreeMap<>();

    /** Each unknown number before this one is passed as soon as all numbers before it are placed or passed. */
    private long passedTo;

    /** The callers that wait for a ticket, by its number; by the order of the requests if callers give no numbers. */
    private final NavigableMap<Long, Request> waiting = new TreeMap<>();

    private long requests;

    /** The futures of callers that wait until the front has reached a number. */
    private final NavigableMap<Long, CompletableFuture<@Nullable Void>> flushes = new TreeMap<>();

    // others

    /** How many futures {@link #waiting} and {@link #flushes} have. Written under the bin; read without it. */
    private volatile int watched;

    /** How many calls of {@link #tell} are not served yet; the thread of the first one serves all. */
    private final AtomicInteger tellers = new AtomicInteger();

    /** The thread that completes the futures of callers whose wait is over; null if none does. Written by it. */
    private volatile @Nullable Thread telling;

    /** Whether the timer of the lease is set, or a thread is about to set it or looks at the lease. */
    private final AtomicBoolean watching = new AtomicBoolean();

    /** Makes a sequencer. The settings must not change any more. */
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

    /** Runs an action under the bin, then starts the granted places, if any. */
    private <T extends @Nullable Object> T under(Supplier<T> action) {
        return service.orders().under(order.bin(), action);
    }

    // issuing

    /**
     * Issues a ticket, and waits while there is no room for it.
     *
     * @param number {@link #NEXT}, or the number given by the caller
     */
    public Reservation await(long number, long nanos) throws InterruptedException, TimeoutException {
        Ticket ticket = issue(number, false, null);
        if (ticket == null) {
            // the front may be an output that this thread has cancelled, and that ends when it is interrupted
            Completion.followAll(service.lifecycle());
        }
        if (ticket == null && isServedHere()) {
            // the waiting callers get room only when this thread goes on, so this thread may overtake them
            ticket = issue(number, true, null);
            if (ticket == null) {
                throw new SelfWaitException("this thread cannot wait for room in the window of " + settings.window
                        + " tickets: the window moves on when this thread goes on; use "
                        + (isNumbered() ? "tryAt(number) or atAsync(number)" : "tryNext() or nextAsync()")
                        + " inside an output or a dependent action");
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

    /** As above, without a limit of time. */
    public Reservation await(long number) throws InterruptedException {
        try {
            return await(number, Long.MAX_VALUE);
        } catch (TimeoutException after292Years) {
            throw new IllegalStateException(after292Years);
        }
    }

    /** Issues a ticket; null if there is no room for it, or other callers wait before this one. */
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

    /** Issues a ticket, at once or when there is room for it. */
    public CompletableFuture<Reservation> request(long number) {
        Request request = new Request();
        CompletableFuture<Reservation> settled = new PlatformFuture<>();
        Ticket ticket;
        try {
            ticket = issue(number, false, request);
        } catch (RejectedExecutionException stopped) {
            settled.completeExceptionally(stopped);
            return settled;
        }
        if (ticket != null) {
            settled.complete(ticket);
            return settled;
        }
        // thread A moves the front, then looks for requests; this thread B has registered its request, and looks at
        // the front again: at least one of them sees that there is room
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

    /**
     * Places the tickets ahead from a number on, up to the first gap that is not passed, and an end behind them.
     *
     * @param ordinal how many issued tickets were placed before
     */
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

    /**
     * The lowest of {@link #passedTo}, the numbers that are ahead, and those that callers wait for: all unknown numbers
     * before it can be passed.
     */
    private long firstKept() {
        long firstAhead = ahead.isEmpty() ? Long.MAX_VALUE : ahead.firstKey();
        long firstAwaited = isNumbered() && !waiting.isEmpty() ? waiting.firstKey() : Long.MAX_VALUE;
        return Math.min(passedTo, Math.min(firstAhead, firstAwaited));
    }

    /** Throws if a number is out of range, was issued or passed, or is waited for. */
    private void requireUnknown(long number) {
        if (!isNumbered()) {
            return;
        }
        if (number < settings.first || number == Long.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "number " + number + " does not belong to this sequencer, whose tickets are numbered from "
                            + settings.first + " to " + (Long.MAX_VALUE - 1));
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

    /** Passes the numbers below {@code number}, except those for which a caller has asked. */
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
     * If the number of the end is passed, makes another end, and returns the former end: the caller closes it after it
     * has released the bin. Returns null if the number is not passed.
     */
    private @Nullable Ticket passEnd() {
        Ticket passed = firstKept() > end.number ? end : null;
        if (passed != null) {
            placeFrom(passed.number, passed.ordinal());
        }
        return passed;
    }

    // waiting callers

    /**
     * The future of a caller that waits for a ticket. The wait ends under the bin: a thread gives the request a ticket,
     * a thread stops the sequence, or the holder of the future withdraws the request.
     */
    private final class Request extends PlatformFuture<Reservation> {
        /** The key of this request in {@link #waiting}. Written under the bin, when the request is put there. */
        private long key;

        /** The ticket that the request has got; null before. Written under the bin. */
        private @Nullable Ticket ticket;

        /** Called by the holder of the future. Returns whether this call has ended the wait. */
        private boolean withdraw() {
            boolean[] withdrawn = {false};
            Ticket gap = under(() -> {
                if (!waiting.remove(key, this)) {
                    return null;
                }
                watch(-1);
                withdrawn[0] = true;
                // numbers before and behind may have been passed while this one was waited for: pass it now
                return passEnd();
            });
            if (gap != null && gap == front) {
                // this may be a timer thread, which must not run the outputs behind the gap
                callers.runElsewhere(gap::close);
            } else if (gap != null) {
                // if it becomes the front just now, this thread runs outputs for a turn
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
            Ticket issued = Objects.requireNonNull(ticket);
            // a second call, since the first one has thrown, finds the ticket in this future
            boolean isTold = super.complete(issued) || (!isCompletedExceptionally() && getNow(null) == issued);
            if (!isTold) {
                // the holder has completed the future in a way that does not withdraw it, such as completeAsync
                callers.runElsewhere(issued::close);
            }
        }

        void refuse(Throwable refusal) {
            super.completeExceptionally(refusal);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the bin only
    private void watch(int more) {
        watched += more;
    }

    /** Called when the place of a ticket is granted: moves the front. */
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
     * Completes the futures of callers whose wait is over. Only one thread at a time does so: dependent actions may
     * call this again, and must neither nest without end nor wait for themselves.
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
            // all later calls return at once, and rely on this thread to complete the futures
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
     * Whether the calling thread holds up the sequence: it completes the futures of callers, runs an output, or is in a
     * dependent action of an output that holds its ticket, and whose future it has completed.
     */
    private boolean isServedHere() {
        return telling == Thread.currentThread()
                || service.lifecycle().isInsideTask()
                || Completion.pending(service.lifecycle(), future -> true) != null;
    }

    private TimeoutException noRoomWithin(long nanos) {
        Ticket first = front;
        return new TimeoutException("there was no room in the window of " + settings.window + " tickets within "
                + Duration.ofNanos(Math.max(0, nanos)) + "; the window waits for "
                + (first.isIssued() ? first : "number " + first.number + ", whose ticket nobody has asked for"));
    }

    // threads

    /**
     * The threads that bring work for tickets. Work that a thread passes on stays here until another thread polls it,
     * or the executor refuses. A thread that waits for a ticket looks here before it parks, and whenever it wakes up.
     */
    private static final class Callers extends BorrowedWorkers {
        private final Queue<Runnable> passedOn = new ConcurrentLinkedQueue<>();

        /** The threads that are parked, or about to park. The last one is called first: its caches are warm. */
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
            passedOn.add(work);
            Waiter waiter = parked.pollLast();
            if (waiter != null) {
                platform().unpark(waiter.thread);
                return true;
            }
            if (super.passOn(this::goOn)) {
                return true;
            }
            if (passedOn.remove(work)) {
                return false;
            }
            // another thread has polled the work, perhaps one that was to poll other work, for which none may come now
            Runnable other = passedOn.poll();
            if (other != null) {
                helper().add(other);
            }
            return true;
        }

        /** Lets another thread run work: one that waits for a ticket, one of the executor, or the helper. */
        void runElsewhere(Runnable work) {
            if (!passOn(work)) {
                helper().add(work);
            }
        }

        void goOn() {
            Runnable work = passedOn.poll();
            if (work != null) {
                work.run();
            }
        }
    }

    /**
     * A thread that waits for a ticket, and meanwhile runs work that is passed on. It must run nothing else, so it does
     * not call {@code get} of the future: in a thread of a {@link ForkJoinPool}, that may run other tasks of the pool,
     * which may wait for this thread.
     */
    private final class Waiter implements ForkJoinPool.ManagedBlocker {
        final Thread thread = Thread.currentThread();
        private final CompletableFuture<Reservation> request;
        private final long nanos;
        private final long begunAt = platform.nanoTime();

        /** Whether the request can no longer be cancelled: the thread that tells callers completes it, so wait on. */
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
                        // throws if an Error has struck the thread that was about to complete the request
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
            } catch (RuntimeException | Error noOtherThread) {
                // the pool cannot replace this thread; also what its thread factory throws
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
            return request.isDone() || !callers.passedOn.isEmpty() || thread.isInterrupted();
        }

        private long remaining() {
            return nanos - (platform.nanoTime() - begunAt);
        }
    }

    // outputs

    /** The work for a ticket: runs a task, or fails if the sequence is stopped by then. The handler gets failures. */
    Runnable outputOf(Ticket ticket, Runnable task) {
        requireOpen(ticket, task);
        return () -> {
            try {
                requireNotStopped(ticket);
                task.run();
            } catch (Throwable failure) {
                stopAfter(failure);
                tellHandler(ticket, failure);
            }
        };
    }

    /** As above, but the future of the work gets failures, and tells the ticket. */
    <T extends @Nullable Object> Callable<T> outputOf(Ticket ticket, Callable<T> task) {
        requireOpen(ticket, task);
        return () -> {
            requireNotStopped(ticket);
            return task.call();
        };
    }

    <T extends @Nullable Object> Supplier<CompletionStage<T>> outputOf(
            Ticket ticket, Supplier<? extends CompletionStage<T>> task) {
        requireOpen(ticket, task);
        return () -> {
            requireNotStopped(ticket);
            return task.get();
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
     * Called when a ticket has become the front, or was issued. Its lease begins when both have happened, since a
     * ticket behind others holds up nobody. So one timer is enough: it is set while the front is issued and open.
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
            // thread B found the timer set before this thread A wrote that it is not: so look for B's ticket
            watchLease();
            return;
        }
        long left = leaseLeft(awaited);
        if (left > 0) {
            scheduleLook(left);
        } else {
            // this may be a timer thread, which must not run the outputs behind the ticket
            callers.runElsewhere(() -> {
                expire(awaited);
                lookAtLease();
            });
        }
    }

    private void expire(Ticket ticket) {
        TimeoutException over = new TimeoutException("ticket " + ticket.number
                + " was neither used nor given back within its lease of " + settings.lease
                + " from its turn on, so the tickets"
                + " behind it go on; close tickets in a try-with-resources statement");
        ticket.expire(() -> tellHandler(ticket, over));
    }

    private void scheduleLook(long left) {
        try {
            platform.scheduleAsync(Math.max(0, left), this::lookAtLease);
        } catch (RuntimeException | Error noTimer) {
            // the next thread that issues a ticket, or grants one, tries again
            watching.set(false);
            UncaughtFailures.report(noTimer);
        }
    }

    // the end

    /** Called when an output has failed, before its ticket leaves. */
    void stopAfter(Throwable failure) {
        if (settings.stopsOnFailure) {
            stop(new Stop(Causes.unwrapped(failure)));
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
        // missing numbers will never be issued, so pass them
        pass();
    }

    private void requireRunning() {
        Stop stopped = stop.get();
        if (stopped != null) {
            throw stopped.refusal("no more tickets are issued");
        }
    }

    /** Called by a thread that is about to use a ticket. If the sequence is stopped, closes an open one and throws. */
    private void requireOpen(Ticket ticket, Object task) {
        Objects.requireNonNull(task, "task");
        Stop stopped = stop.get();
        if (stopped != null && ticket.close(Place.Out.RETURNED)) {
            throw stopped.refusal(ticket + " can no longer be used");
        }
    }

    /** Returns a future that completes when all tickets issued so far are done. */
    public CompletableFuture<@Nullable Void> flush() {
        CompletableFuture<@Nullable Void> flushed = under(() -> {
            CompletableFuture<@Nullable Void> before = flushes.get(behindAll());
            if (before == null) {
                before = new PlatformFuture<>();
                flushes.put(behindAll(), before);
                watch(1);
            }
            return before;
        });
        tell();
        // a copy: a caller may complete it, and others share the future
        return flushed.copy();
    }

    /** A number behind all issued tickets: the one after the last ticket ahead, or the end's if none is ahead. */
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

    @Override
    public String toString() {
        return "[window " + settings.window + ", " + snapshot() + "]";
    }
}
