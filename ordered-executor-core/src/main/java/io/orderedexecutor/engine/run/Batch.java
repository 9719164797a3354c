package io.orderedexecutor.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A place whose task is a number of items that run together. Items join the batch while it has not started and is the
 * last place of its order; each can be taken out while it waits. The state of the place is that of the batch as a
 * whole. The monitor of this object, which the application cannot lock and under which none of its code runs, guards
 * which items wait:
 *
 * <pre>
 *   OPEN ──▶ TAKEN      the thread that runs the batch claims the items
 *   OPEN ──▶ SPENT      a thread takes out the last item
 *   TAKEN ──▶ WAITING   the batch failed; the items whose futures are not complete wait to run again, and none joins
 *   TAKEN ──▶ SPENT     the items that were claimed have ended, or the batch failed and all their futures are complete
 *   WAITING ──▶ TAKEN, SPENT  as from OPEN; or the thread that ends the failed batch claims the items
 *   SPENT ──▶ TAKEN     the thread that runs or ends the batch finds no items to claim
 * </pre>
 *
 * <p>A thread that takes an item out under the monitor has to give back its room, and to count its end unless the
 * workers have refused the item. Usually the thread that completed the future of an item takes it out; but if that
 * thread still runs dependent actions when the items are claimed, the claiming thread does so. A thread that drops an
 * item, or takes it back for a shutdown, takes it out first, and then completes its future. A batch that is spent
 * leaves its order when all items that were taken out have ended: nothing behind it starts before their futures are
 * complete. The thread that ends the last of them takes back the place, unless another thread still has the attempt of
 * the batch.
 *
 * <p>A granted batch may linger: it waits for more items, without a thread. The thread that ends this by
 * compare-and-set hands the batch over: the timer, or a thread with a reason to start the batch, such as an item that
 * fills it, a place behind it, or a caller that waits for its end. A thread that ends the last item ends the lingering,
 * too, and takes back the place.
 */
public final class Batch extends Place.Timed implements Served {
    private static final VarHandle LINGERS;

    static {
        try {
            LINGERS = MethodHandles.lookup().findVarHandle(Batch.class, "lingers", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private enum Phase {
        OPEN,
        TAKEN,
        WAITING,
        SPENT
    }

    /** Items that run together, and what was submitted for each of them, which the application's handler gets. */
    record Claimed(List<BatchItem> items, List<Object> works) {
        boolean areAllDone() {
            return items.stream().allMatch(BatchItem::isDone);
        }

        @Override
        public String toString() {
            return "a batch of " + items.size() + " items";
        }
    }

    private final Batching batching;

    /** The key that all items have in common; null if they need none. */
    private final @Nullable Object batchKey;

    private final TaskFuture.Whole whole;

    @GuardedBy("this")
    private Phase phase = Phase.OPEN;

    /** The items that wait, in their order. */
    @GuardedBy("this")
    private final LinkedHashSet<BatchItem> waiting = new LinkedHashSet<>();

    /** The submitted objects of the waiting items, as they are shown; null until requested, and when they change. */
    @GuardedBy("this")
    private @Nullable List<Object> shown;

    /** Where this batch counts its items beyond one while it waits in its order; null otherwise. */
    @GuardedBy("this")
    private @Nullable AtomicLong furtherTasks;

    @GuardedBy("this")
    private long weight;

    /**
     * For each item that was taken out and has not ended yet, the thread that ends it; also the threads that keep the
     * batch from leaving. The batch does not leave before all have called {@link #endsWithItem}. Null at first.
     */
    @GuardedBy("this")
    private @Nullable List<Thread> endingThreads;

    /**
     * Whether the batch should not linger any more: it is full, an item could not join it, {@link #hurry} was called,
     * or its timer could not be set.
     */
    @GuardedBy("this")
    private boolean isComplete;

    /**
     * The items that were claimed, and have neither ended nor been put back; null before the first run. Used by the
     * thread that runs or ends the attempt.
     */
    private @Nullable Claimed claimed;

    /** Whether the granted batch waits for more items. Set by the thread that would have run it. */
    private volatile boolean lingers;

    private final Timer timer;

    /** The item for which the batch was made; null after the hand-over. Used by the submitter of the item. */
    private @Nullable BatchItem founder;

    /** Whether another place has entered behind this one. Written under the bin. */
    private volatile boolean isFollowed;

    public Batch(Orders orders, BatchItem founder, @Nullable Object batchKey) {
        this(orders, founder, batchKey, wholeOf(founder.stripe(), founder.batching()));
    }

    private Batch(Orders orders, BatchItem founder, @Nullable Object batchKey, TaskFuture.Whole whole) {
        super(whole, orders, founder.stripe(), 0);
        this.batching = founder.batching();
        this.batchKey = batchKey;
        this.whole = whole;
        this.founder = founder;
        this.timer = new Timer(this);
        whole.setPlace(this);
        join(founder);
    }

    private static TaskFuture.Whole wholeOf(Object stripe, Batching batching) {
        return new TaskFuture.Whole(
                batching, claimed -> batching.handle(stripe, ((Claimed) claimed).works), batching.isAsync());
    }

    TaskFuture.Whole whole() {
        return whole;
    }

    @Nullable
    BatchItem founder() {
        return founder;
    }

    public void forgetFounder() {
        founder = null;
    }

    // items that come and go

    public Batching batching() {
        return batching;
    }

    @Nullable
    public Object batchKey() {
        return batchKey;
    }

    /** Adds an item; false if it cannot join. Called under the bin when this is the last place of its order. */
    public synchronized boolean join(BatchItem item) {
        if (phase != Phase.OPEN || weight + item.weight() > batching.maxBatch()) {
            isComplete = true;
            return false;
        }
        // first: a thread that finds the item here may clear its place
        item.setPlace(this);
        waiting.add(item);
        count(1);
        weight += item.weight();
        isComplete |= weight == batching.maxBatch();
        return true;
    }

    /**
     * Takes out an item that waits; false if it does not wait: then another thread has to end it. If this returns true,
     * the calling thread ends the item, then calls {@link #endsWithItem}.
     */
    synchronized boolean remove(BatchItem item) {
        if (!waiting.contains(item)) {
            return false;
        }
        // allocate first: if memory runs out here, the item still waits, and another thread can end it
        noteEndingThread();
        waiting.remove(item);
        count(-1);
        shown = null;
        weight -= item.weight();
        if (waiting.isEmpty() && phase != Phase.TAKEN) {
            phase = Phase.SPENT;
            timer.forget();
        }
        return true;
    }

    /**
     * Keeps the batch from leaving until this thread calls {@link #endsWithItem}, as an item does that is taken out.
     */
    synchronized void keepFromLeaving() {
        noteEndingThread();
    }

    @GuardedBy("this")
    private void noteEndingThread() {
        if (endingThreads == null) {
            endingThreads = new ArrayList<>(1);
        }
        endingThreads.add(Thread.currentThread());
    }

    /**
     * Called when an item that this thread has taken out has ended or was refused, and to end {@link #keepFromLeaving}.
     * Returns whether the batch can leave now.
     */
    synchronized boolean endsWithItem() {
        Objects.requireNonNull(endingThreads).remove(Thread.currentThread());
        return isEnded();
    }

    /** Whether no item waits or runs, and none can join. */
    synchronized boolean isSpent() {
        return phase == Phase.SPENT;
    }

    /** Whether the batch is spent, all items have ended, and no thread keeps the batch from leaving. */
    synchronized boolean isEnded() {
        return phase == Phase.SPENT && endingThread() == null;
    }

    /**
     * A thread that has taken out an item and not ended it yet, or keeps the batch from leaving; null if there is none.
     */
    synchronized @Nullable Thread endingThread() {
        return endingThreads == null || endingThreads.isEmpty() ? null : endingThreads.get(0);
    }

    /** Called when the items that were claimed have ended for good. */
    synchronized void setSpent() {
        phase = Phase.SPENT;
    }

    /** The item that has waited longest; null if none waits. */
    synchronized @Nullable BatchItem oldest() {
        return waiting.isEmpty() ? null : waiting.iterator().next();
    }

    /** Whether an item waits whose future is not complete. */
    synchronized boolean hasItemToRun() {
        for (BatchItem item : waiting) {
            if (!item.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** The waiting item that came last. */
    @GuardedBy("this")
    private BatchItem latest() {
        BatchItem latest = null;
        for (BatchItem item : waiting) {
            latest = item;
        }
        return Objects.requireNonNull(latest);
    }

    /**
     * What was submitted for the items of a failed batch that wait to run again. The same list until that changes: a
     * caller may tell by it whether it has seen the task of this batch.
     */
    synchronized List<Object> shownTasks() {
        List<Object> now = shown;
        if (now == null) {
            now = waiting.stream().map(BatchItem::work).filter(Objects::nonNull).toList();
            shown = now;
        }
        return now;
    }

    @Override
    protected int queuedTasks() {
        if (!isQueued()) {
            return 0;
        }
        synchronized (this) {
            return waiting.size();
        }
    }

    @Override
    public long queuedAt() {
        BatchItem oldest = oldest();
        return oldest == null || service().events() == null ? 0 : oldest.queuedAt();
    }

    // running

    /** Claims the waiting items whose futures are not complete, for the thread that runs or ends the batch. */
    synchronized Claimed claim() {
        assert furtherTasks == null : "a batch that waits in its order does not run";
        List<BatchItem> items = new ArrayList<>(waiting.size());
        List<Object> works = new ArrayList<>(waiting.size());
        for (BatchItem item : List.copyOf(waiting)) {
            Object work = item.isDone() ? null : item.take();
            if (work != null) {
                waiting.remove(item);
                weight -= item.weight();
                items.add(item);
                works.add(work);
            }
        }
        phase = Phase.TAKEN;
        shown = null;
        timer.forget();
        Claimed mine = new Claimed(items, Collections.unmodifiableList(works));
        claimed = mine;
        return mine;
    }

    Claimed claimed() {
        return Objects.requireNonNull(claimed);
    }

    boolean isFirstRun() {
        return claimed == null;
    }

    void forgetClaimed() {
        claimed = new Claimed(List.of(), List.of());
    }

    /** Lets items that have run wait again. Forgets what has run. */
    synchronized void putBack(Claimed failed) {
        forgetClaimed();
        shown = null;
        for (int i = 0; i < failed.items.size(); i++) {
            BatchItem item = failed.items.get(i);
            item.putBack(failed.works.get(i));
            waiting.add(item);
            weight += item.weight();
        }
        phase = waiting.isEmpty() ? Phase.SPENT : Phase.WAITING;
    }

    // lingering

    public boolean isLingering() {
        return lingers;
    }

    /**
     * Lets the batch linger if it has a reason to. Called by the thread that would run it; if this returns true, that
     * thread must not touch the batch any more.
     */
    boolean beginsToLinger() {
        if (!batching.lingers() || !hasReasonToLinger()) {
            return false;
        }
        long left = leftToLinger();
        if (left <= 0) {
            return false;
        }
        // before another thread may end the lingering, and remove the batch
        service().lingering().add(this);
        lingers = true;
        // this thread A says that the batch lingers, then looks for reasons to start it; thread B gives such a reason,
        // then looks whether the batch lingers: at least one of them sees the other and starts it
        return (schedules(left) && hasReasonToLinger()) || !endsLinger();
    }

    /** Sets the timer, unless it is set; false if that is impossible. */
    private boolean schedules(long nanos) {
        if (timer.tryBegin()) {
            try {
                timer.setCancel(service().platform().scheduleAsync(nanos, timer));
            } catch (Throwable noTimer) {
                // run the batch without lingering, rather than never
                synchronized (this) {
                    isComplete = true;
                }
                timer.end();
                UncaughtFailures.report(noTimer);
                return false;
            }
        }
        return true;
    }

    /** The timer. It is cancelled when the batch starts or is spent. */
    private static final class Timer implements Runnable {
        private final AtomicBoolean runs = new AtomicBoolean();
        private volatile @Nullable Batch batch;

        /** Cancels the timer; null before it is set. Written by the thread that has set it. */
        private volatile @Nullable Runnable cancel;

        Timer(Batch batch) {
            this.batch = batch;
        }

        boolean tryBegin() {
            return runs.compareAndSet(false, true);
        }

        void end() {
            runs.set(false);
        }

        void setCancel(Runnable cancel) {
            this.cancel = cancel;
            // this thread A sets the timer, then looks for the batch; thread B forgets the batch, then looks for the
            // timer: at least one of them cancels it
            if (batch == null) {
                cancel.run();
            }
        }

        void forget() {
            batch = null;
            Runnable cancels = cancel;
            if (cancels != null) {
                cancels.run();
            }
        }

        @Override
        public void run() {
            end();
            Batch waiting = batch;
            if (waiting != null) {
                waiting.onTimer();
            }
        }
    }

    private boolean hasReasonToLinger() {
        if (isFollowed || service().isHurried(order()) || orders().hasBarriersFor(this) || isRoomAwaited()) {
            return false;
        }
        synchronized (this) {
            return phase == Phase.OPEN && !isComplete;
        }
    }

    /** Whether submissions wait for room that the items of this batch have. */
    private boolean isRoomAwaited() {
        Room inKey = Room.OfKey.of(order());
        Room inExecutor = service().rooms().inExecutor();
        return (inKey != null && inKey.isAwaited()) || (inExecutor != null && inExecutor.isAwaited());
    }

    /** For how many more nanoseconds the batch lingers if no item comes. */
    long leftToLinger() {
        long now = service().platform().nanoTime();
        synchronized (this) {
            BatchItem oldest = oldest();
            return oldest == null ? 0 : batching.leftAfter(now - oldest.queuedAt(), now - latest().queuedAt());
        }
    }

    private void onTimer() {
        long left = leftToLinger();
        // items may have come since
        boolean goesOn = lingers && left > 0 && schedules(left);
        if (!goesOn && endsLinger()) {
            service().dispatcher().start(this);
        }
    }

    /** Ends the lingering; true if the calling thread did, and so has to hand over, run or take back the batch. */
    boolean endsLinger() {
        boolean mine = lingers && LINGERS.compareAndSet(this, true, false);
        if (mine) {
            service().lingering().remove(this);
        }
        return mine;
    }

    @Override
    protected boolean standsForSeveral() {
        return true;
    }

    @Override
    protected synchronized void countFurtherTasks(AtomicLong further) {
        furtherTasks = further;
        count(waiting.size() - 1);
    }

    @Override
    protected synchronized void uncountFurtherTasks() {
        count(1 - waiting.size());
        furtherTasks = null;
    }

    @GuardedBy("this")
    private void count(int more) {
        if (furtherTasks != null) {
            furtherTasks.addAndGet(more);
        }
    }

    @Override
    protected boolean isReadyWhenFollowed() {
        isFollowed = true;
        return endsLinger();
    }

    /** Starts the batch if it lingers, but no longer has a reason to. */
    public void startIfComplete() {
        if (lingers && !hasReasonToLinger()) {
            startIfLingering();
        }
    }

    /** Keeps the batch from lingering: it starts when its turn has come. More items may join until then. */
    public void hurry() {
        synchronized (this) {
            isComplete = true;
        }
        startIfLingering();
    }

    private void startIfLingering() {
        if (endsLinger()) {
            service().dispatcher().start(this);
        }
    }
}
