package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import io.orderedexecutor.engine.pool.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of the table of keys: a small hash table of orders, and a lock for it. Only the thread that holds the bin
 * changes its content. A thread usually holds it for a few pointer writes, and while a submission takes its room;
 * longer, for example, when a barrier that leaves grants the places behind it, when a look visits all places in an
 * order, and when steps are swept or chains are made anew; never while code of the application runs. One word is the
 * state of the lock:
 *
 * <pre>
 *   FREE ──▶ TAKEN      by the thread that holds it then
 *   TAKEN, a request ──▶ a request  by a thread that finds it taken: the last request, which refers to the one before
 *   a request ──▶ TAKEN by the holder of the bin, which collects all requests, to perform them
 *   TAKEN ──▶ FREE      by the holder of the bin
 * </pre>
 *
 * <p>So a thread that finds the bin taken need not wait: it posts a {@link Request} and goes on. The holder of the bin
 * performs the request. A preempted holder therefore delays the keys of its bin, but not such a thread. A thread that
 * needs more than one bin, or an answer, or has to make the change itself, posts a request to be {@linkplain Waiter
 * given the bin}, and waits. A shutdown closes the bin; a closed bin has states of its own, so the request of a place
 * that enters is either posted before that, and performed, or refused.
 *
 * <p>The technique is known as flat combining (Hendler, Incze, Shavit, Tzafrir 2010).
 */
public final class Bin {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Bin.class, "state", Request.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * How often a thread tries to take the bin before it parks. All these tries take less time than parking. Tasks of
     * two keys took 1,600 ns instead of 640 where threads parked at once.
     */
    private static final int LOOKS = 100;

    /** How many waiting shared steps a thread grants at most before it releases the bin. */
    private static final int MOST_SHARED_GRANTED = 16;

    /** Greater than all hashes, read as unsigned numbers. */
    static final long END = 1L << Integer.SIZE;

    /** A request of a thread that finds the bin taken; the holder of the bin performs it. */
    abstract static class Request {
        /**
         * Once this request is posted: the request that was posted before it, or a mark if there was none. Once the
         * holder of the bin has collected it: the request that was posted after it, or null. Written by the thread that
         * posts this request, before it does so, then by the holder of the bin.
         */
        @Nullable
        Request next;

        /** Whether the bin was closed when this request was posted; for a mark: whether it is one of a closed bin. */
        boolean isAfterClose;

        /** Done under the bin. */
        abstract void perform(Bin bin);
    }

    /** A state of the word that is not a request. */
    private static final class Mark extends Request {
        Mark(boolean isAfterClose) {
            this.isAfterClose = isAfterClose;
        }

        @Override
        void perform(Bin bin) {
            throw new AssertionError("a mark is no request");
        }
    }

    private static final Request FREE = new Mark(false);
    private static final Request TAKEN = new Mark(false);
    private static final Request CLOSED_FREE = new Mark(true);
    private static final Request CLOSED_TAKEN = new Mark(true);

    /** A thread that waits for the bin. */
    private static final class Waiter extends Request {
        private final Thread thread = Thread.currentThread();
        private final Platform platform;

        private enum End {
            HAS_BIN,
            GAVE_UP
        }

        /** How the wait has ended; null until the thread that gives the bin, or the waiting thread, decides this. */
        private final AtomicReference<@Nullable End> end = new AtomicReference<>();

        Waiter(Platform platform) {
            this.platform = platform;
        }

        @Override
        void perform(Bin bin) {
            throw new AssertionError(
                    "the request of a thread that waits is not performed: its thread is given the bin");
        }

        /** Gives the bin, with its pending requests, to the waiting thread; false if that thread no longer waits. */
        boolean giveBin() {
            if (!end.compareAndSet(null, End.HAS_BIN)) {
                return false;
            }
            platform.unpark(thread);
            return true;
        }

        /**
         * Waits for the bin. Returns false if an Error has struck the thread that holds it. In a broken executor, the
         * wait also ends after the platform's patience: the Error may have struck where it could not be noted.
         */
        boolean await(Bin bin) {
            Orders orders = bin.orders;
            long patience = platform.patienceNanos();
            long begun = platform.nanoTime();
            boolean isTold = false;
            boolean interrupted = false;
            try {
                while (end.get() == null) {
                    platform.parkNanos(this, patience);
                    // an interrupt would make each park return at once
                    interrupted |= Thread.interrupted();
                    boolean isLong = platform.nanoTime() - begun >= patience;
                    if (orders.isStruck(bin) || (isLong && orders.broken() != null)) {
                        if (end.compareAndSet(null, End.GAVE_UP)) {
                            orders.giveUp(bin);
                        }
                    } else if (isLong && !isTold && end.get() == null) {
                        isTold = true;
                        orders.tellOfLongWait(thread);
                    }
                }
                return end.get() == End.HAS_BIN;
            } finally {
                // if something is thrown above
                end.compareAndSet(null, End.GAVE_UP);
                if (interrupted) {
                    thread.interrupt();
                }
            }
        }
    }

    final Orders orders;

    /** The index in the table. A thread that takes several bins takes them in this order. */
    final int index;

    private volatile Request state;

    // All fields below are guarded by the bin.

    /** Posted requests that this bin's holder has collected and not performed yet, oldest first. */
    private @Nullable Request pending;

    /**
     * One of the places that were granted since the bin was taken, usually the first. It is not in {@link #grants}, to
     * save that object.
     */
    private @Nullable Place firstGranted;

    /** The other places that were granted since then, and all other results that the holder handles afterwards. */
    private @Nullable Grants grants;

    /** How many shared steps that had waited were granted since the bin was taken. One byte, to keep the bin small. */
    private byte sharedGranted;

    private boolean isClosed;
    private boolean isOver;

    /** The thread that holds the bin. Only noted if assertions are enabled. */
    private @Nullable Thread holder;

    /** The heads of the chains. Read without the bin by threads that search. */
    private volatile @Nullable Order[] chains = new Order[4];

    private int size;

    /**
     * How often an order was opened, or the chains were made anew. If this has not changed, a thread that has searched
     * without the bin and found no order has searched all of them. Written after the chains, and read before them.
     */
    private volatile int version;

    /**
     * How many exclusive and shared steps stand in the orders of this bin. A barrier waits for those that conflict with
     * it.
     */
    private int exclusives;

    private int shareds;

    /** How often a step has entered while none stood here. */
    private int busyPeriods;

    /** How many steps wait here that are not the first one of their place. */
    private int furtherSteps;

    /**
     * For each order in which batches may wait, how many tasks the waiting batches stand for beyond one for each batch.
     * Null if there is no such order. Not a field of orders, of which there are many. The numbers also change without
     * the bin.
     */
    private @Nullable IdentityHashMap<Order, AtomicLong> furtherTasks;

    /** The barriers that wait or run; null if there is none. */
    private @Nullable Barriers barriers;

    Bin(Orders orders, int index, boolean closed) {
        this.orders = orders;
        this.index = index;
        this.isClosed = closed;
        this.isOver = closed;
        this.state = closed ? CLOSED_FREE : FREE;
    }

    // having it

    /** Takes the bin if no thread holds it. */
    boolean tryTake() {
        Request seen = state;
        boolean taken = (seen == FREE && STATE.compareAndSet(this, FREE, TAKEN))
                || (seen == CLOSED_FREE && STATE.compareAndSet(this, CLOSED_FREE, CLOSED_TAKEN));
        if (taken) {
            begin();
        }
        return taken;
    }

    private void begin() {
        sharedGranted = 0;
        assert noteHolder(Thread.currentThread());
    }

    /** For assertions: notes the holder of the bin. */
    private boolean noteHolder(@Nullable Thread thread) {
        holder = thread;
        return true;
    }

    /** For assertions: whether this thread holds the bin. */
    boolean isHeldHere() {
        return holder == Thread.currentThread();
    }

    /** How {@link #takeOrPost} has ended. */
    enum Outcome {
        /** The caller holds the bin; the request is not posted. */
        TAKEN,
        /** The request is posted: the holder performs it, or gives the bin to a {@link Waiter}, or has done so. */
        POSTED,
        /** The bin is closed, and the request is not for a closed bin, so it is not posted. */
        REFUSED
    }

    /**
     * Takes the bin, or posts a request to the thread that holds it.
     *
     * @param evenIfClosed whether a closed bin accepts the request, too
     */
    Outcome takeOrPost(Request request, boolean evenIfClosed) {
        while (true) {
            Request seen = state;
            if (seen.isAfterClose && !evenIfClosed) {
                return Outcome.REFUSED;
            }
            if (seen == FREE || seen == CLOSED_FREE) {
                if (tryTake()) {
                    return Outcome.TAKEN;
                }
            } else {
                request.next = seen;
                request.isAfterClose = seen.isAfterClose;
                if (STATE.compareAndSet(this, seen, request)) {
                    return Outcome.POSTED;
                }
            }
        }
    }

    /**
     * Takes the bin, and waits if another thread holds it.
     *
     * @throws IllegalStateException if an Error has broken the executor, and that thread may never release the bin
     */
    public void take() {
        if (!takesUnlessStuck()) {
            throw orders.brokenException();
        }
    }

    /**
     * Takes the bin, and waits if another thread holds it: usually that thread releases it before this one could park.
     *
     * @return false if an Error has broken the executor, and that thread may never release the bin
     */
    boolean takesUnlessStuck() {
        try {
            for (int looks = 0; looks < LOOKS; looks++) {
                if (tryTake()) {
                    return true;
                }
            }
            if (orders.isStruck(this)) {
                return false;
            }
            Waiter waiter = new Waiter(orders.platform());
            if (takeOrPost(waiter, true) == Outcome.TAKEN) {
                return true;
            }
            boolean given = waiter.await(this);
            if (given) {
                begin();
            }
            return given;
        } catch (VirtualMachineError | LinkageError failure) {
            // this thread may have taken the bin, or been given it; then no thread ever releases it
            orders.setBroken(failure, this);
            throw failure;
        }
    }

    /**
     * Performs the requests that were posted meanwhile, and releases the bin; or gives it to a thread that waits for
     * it, with the requests that were posted after the request of that thread.
     *
     * @return the results of all changes, which the caller must handle; null if there are none
     */
    @Nullable
    public Grants release() {
        assert isHeldHere();
        while (true) {
            Request request = pending;
            if (request != null) {
                pending = request.next;
                request.next = null;
                if (request instanceof Waiter waiter) {
                    Grants mine = takeGrants();
                    assert noteHolder(null);
                    if (waiter.giveBin()) {
                        return mine;
                    }
                    assert noteHolder(Thread.currentThread());
                    grants = mine;
                } else {
                    request.perform(this);
                }
                continue;
            }
            noteIfOver();
            Grants mine = takeGrants();
            assert noteHolder(null);
            if (STATE.compareAndSet(this, taken(), isClosed ? CLOSED_FREE : FREE)) {
                return mine;
            }
            assert noteHolder(Thread.currentThread());
            grants = mine;
            takePending(taken());
        }
    }

    private Request taken() {
        return isClosed ? CLOSED_TAKEN : TAKEN;
    }

    /** Removes and returns the first granted place; a caller that runs it next needs no {@link Grants}. */
    @Nullable
    public Place takeFirstGranted() {
        assert isHeldHere();
        Place first = firstGranted;
        firstGranted = null;
        return first;
    }

    private @Nullable Grants takeGrants() {
        Place first = takeFirstGranted();
        Grants mine = grants;
        if (first != null) {
            mine = Grants.merged(Grants.of(first), mine);
        }
        grants = null;
        return mine;
    }

    /** Appends the requests that were posted since the last call to the pending ones, oldest first. */
    private void takePending(Request mark) {
        Request last = (Request) STATE.getAndSet(this, mark);
        Request oldest = null;
        while (last != null && !(last instanceof Mark)) {
            Request before = last.next;
            last.next = oldest;
            oldest = last;
            last = before;
        }
        if (pending == null) {
            pending = oldest;
        } else {
            Request end = pending;
            while (end.next != null) {
                end = end.next;
            }
            end.next = oldest;
        }
    }

    /** From now on, requests of places that enter are refused. Those that were posted before are performed. */
    void close() {
        assert isHeldHere();
        if (!isClosed) {
            isClosed = true;
            takePending(CLOSED_TAKEN);
        }
    }

    /** Whether its only order is {@link Orders#gate()}, which barriers enter even after it was closed. */
    boolean isOfGate() {
        return index == Orders.OF_GATE;
    }

    public boolean isClosed() {
        assert isHeldHere();
        return isClosed;
    }

    // the table

    int version() {
        return version;
    }

    /**
     * Looks for an order. Called without the bin if {@code equals} of the key may be code of the application.
     *
     * @return an order that was open; null if none was found. Then there was none if the version has not changed since
     *     before the search
     */
    @Nullable
    Order search(Object key, int hash) {
        Order[] searched = chains;
        Order order = searched[hash & (searched.length - 1)];
        while (order != null) {
            if (order.hash == hash && orders.areEqual(order.key, key)) {
                return order;
            }
            Order next = order.nextInBin();
            if (next == order) {
                // the order was closed meanwhile, and links to no other
                searched = chains;
                next = searched[hash & (searched.length - 1)];
            }
            order = next;
        }
        return null;
    }

    Order open(Object key, int hash) {
        assert isHeldHere();
        if (size > chains.length) {
            resize(chains.length * 2);
        }
        Order order = new Order(this, key, hash);
        Order[] chains = this.chains;
        int chain = hash & (chains.length - 1);
        order.setNextInBin(chains[chain]);
        chains[chain] = order;
        size++;
        changeVersion();
        return order;
    }

    /** Called by the order itself. */
    void close(Order order) {
        assert isHeldHere();
        order.setClosed();
        Order[] chains = this.chains;
        int chain = order.hash & (chains.length - 1);
        Order before = chains[chain];
        if (before == order) {
            chains[chain] = order.nextInBin();
        } else {
            while (before != null && before.nextInBin() != order) {
                before = before.nextInBin();
            }
            if (before != null) {
                before.setNextInBin(order.nextInBin());
            }
        }
        // linked to itself: a thread that searches begins the chain again, and a place that is over and still refers to
        // this order keeps no other closed orders in memory
        order.setNextInBin(order);
        size--;
        if (chains.length > 64 && size < chains.length / 8) {
            resize(chains.length / 4);
        }
        noteIdle();
    }

    /** Notes that an order has become empty, or no barrier is left: threads that wait for idleness look again. */
    void noteIdle() {
        assert isHeldHere();
        if (grants == null) {
            grants = Grants.ONLY_CLOSED;
        } else {
            grants.noteClosed();
        }
    }

    private void resize(int length) {
        Order[] old = chains;
        Order[] made = new Order[length];
        for (Order head : old) {
            for (Order order = head; order != null; ) {
                Order next = order.nextInBin();
                int chain = order.hash & (length - 1);
                order.setNextInBin(made[chain]);
                made[chain] = order;
                order = next;
            }
        }
        chains = made;
        changeVersion();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the bin only
    private void changeVersion() {
        version++;
    }

    /** Notes, once, that this bin is closed and empty, with nothing pending. */
    private void noteIfOver() {
        if (isClosed && !isOver && size == 0 && barriers == null) {
            isOver = true;
            orGrants().noteEmptied();
        }
    }

    /**
     * Whether a place of one exclusive key stands behind all barriers here. Only then may a later submission join it,
     * or replace its task: otherwise that submission would pass a barrier that was submitted before it.
     */
    public boolean isBehindBarriers(Place place) {
        assert isHeldHere();
        return barriers == null || barriers.isBehindAll(place);
    }

    /** Whether barriers wait here or run. */
    public boolean hasBarriers() {
        assert isHeldHere();
        return barriers != null;
    }

    /** How often a step has entered while none stood here; null if a place stands here. */
    @Nullable
    Integer busyPeriodsIfEmpty() {
        assert isHeldHere();
        return exclusives == 0 && shareds == 0 && barriers == null ? busyPeriods : null;
    }

    /**
     * Visits some orders. The visitor must not open or close any. The chains are visited in the order of their indices
     * with the bits reversed, as by SCAN of Redis: even if {@link #resize} divides or joins chains between two calls,
     * each order that stays open is visited once.
     *
     * @param from the cursor: 0 at first, then the result of the last call
     * @param most after this many orders and chains, no further chain is begun
     * @return the cursor for the next call; {@link #END} if all have been visited
     */
    long forSomeOrders(long from, int most, Consumer<? super Order> visitor) {
        assert isHeldHere();
        Order[] chains = this.chains;
        long ofOneChain = END / chains.length;
        long at = from;
        for (int visited = 0; at < END && visited < most; visited++) {
            Order order = chains[Integer.reverse((int) at) & (chains.length - 1)];
            for (; order != null; order = order.nextInBin()) {
                if (Integer.toUnsignedLong(Integer.reverse(order.hash)) >= from) {
                    visitor.accept(order);
                    visited++;
                }
            }
            at = (at / ofOneChain + 1) * ofOneChain;
        }
        return at;
    }

    // steps

    private Grants orGrants() {
        Grants mine = grants;
        if (mine == null || mine == Grants.ONLY_CLOSED) {
            Grants made = new Grants();
            if (mine != null) {
                made.noteClosed();
            }
            mine = made;
            grants = made;
        }
        return mine;
    }

    /**
     * Records a place that now holds all of its orders, or holds them already and is
     * {@linkplain Step#isReadyWhenFollowed ready when followed}: the holder of the bin handles it after the release.
     */
    void grant(Place place) {
        assert isHeldHere();
        if (firstGranted == null && !place.isOverWhenGranted()) {
            firstGranted = place;
        } else {
            orGrants().add(place);
        }
    }

    /** Returns whether the holder of the bin may grant one more waiting shared step. If so, counts that step. */
    boolean mayGrantShared() {
        assert isHeldHere();
        boolean mayGrant = sharedGranted < MOST_SHARED_GRANTED;
        if (mayGrant) {
            sharedGranted++;
        }
        return mayGrant;
    }

    /** Notes that an order has more steps to grant than this thread may grant. */
    void noteUnfinished(Order order) {
        assert isHeldHere();
        orGrants().noteUnfinished(order);
    }

    /** Appends a step to an order; returns whether this grants its place. */
    public boolean enter(Order order, Step step) {
        assert isHeldHere();
        if (exclusives + shareds == 0) {
            busyPeriods++;
        }
        count(step, 1);
        if (barriers != null) {
            barriers.enter(step);
        }
        return order.append(step);
    }

    /** Appends a place to an order. Another thread may have taken the place back already. */
    public void enterLate(Order order, Place place) {
        boolean granted = enter(order, place);
        // a thread that takes the place back either sees that the place has an order, or is seen here
        VarHandle.fullFence();
        if (place.isTakenBack()) {
            // that thread may have looked before the place had an order
            leave(place);
            forget(place);
        } else if (granted) {
            grant(place);
        }
    }

    /** Called when a step begins to hold its order; returns whether this grants the place of the step. */
    boolean isGranted(Step step) {
        if (!step.granted()) {
            return false;
        }
        // a place of several keys counts what it waits for
        return !(step instanceof Place place && barriers != null && barriers.waitsToBeTold(place));
    }

    /**
     * Removes a step, whose place is over, from its order. When all steps of a place in this bin have left,
     * {@link #forget} follows.
     */
    void leave(Step step) {
        assert isHeldHere();
        if (!step.isOut() && !(step instanceof Place place && place.isVacated())) {
            uncount(step);
            step.order.remove(step);
        }
    }

    /** Called after a place that may have waited for barriers has left. */
    void forget(Place place) {
        assert isHeldHere();
        if (barriers != null) {
            barriers.forget(place);
        }
    }

    /** Called by orders when a step that is not the first one of its place begins or ceases to wait. */
    void countFurtherSteps(int more) {
        assert isHeldHere();
        furtherSteps += more;
    }

    /** How many steps wait here that are not the first one of their place. */
    int furtherSteps() {
        assert isHeldHere();
        return furtherSteps;
    }

    /** How many tasks the waiting batches of an order stand for beyond one for each batch. */
    AtomicLong furtherTasks(Order order) {
        assert isHeldHere();
        if (furtherTasks == null) {
            furtherTasks = new IdentityHashMap<>(2);
        }
        return furtherTasks.computeIfAbsent(order, any -> new AtomicLong());
    }

    /** Called by an order in which nothing waits any more. */
    void forgetFurtherTasks(Order order) {
        assert isHeldHere();
        if (furtherTasks != null) {
            furtherTasks.remove(order);
            furtherTasks = furtherTasks.isEmpty() ? null : furtherTasks;
        }
    }

    private void count(Step step, int more) {
        if (step.isShared()) {
            shareds += more;
        } else {
            exclusives += more;
        }
    }

    /** Counts a step no more, since it leaves: barriers that waited for it may be granted. Also called by orders. */
    void uncount(Step step) {
        assert isHeldHere();
        count(step, -1);
        if (barriers != null) {
            barriers.leave(step);
        }
    }

    /** Visits the granted places among those that hold an order. */
    public void forEachGranted(Order order, Consumer<? super Place> visitor) {
        order.forEachHolder(step -> {
            if (holdsAll(step.place())) {
                visitor.accept(step.place());
            }
        });
    }

    /** Whether a place that holds an order of this bin holds all that it needs. */
    boolean holdsAll(Place place) {
        return place instanceof Many many ? many.isGranted() : !waitsForBarriers(place);
    }

    // barriers

    void enter(Barrier.Part part) {
        assert isHeldHere();
        if (barriers == null) {
            barriers = new Barriers(this, exclusives, shareds);
        }
        barriers.enter(part);
    }

    /** A barrier leaves: the places behind it may go on. */
    void leave(Barrier.Part part) {
        assert isHeldHere();
        if (barriers != null) {
            barriers.leave(part);
            if (barriers.isEmpty()) {
                barriers = null;
                noteIdle();
            }
        }
    }

    private boolean waitsForBarriers(Place place) {
        return barriers != null && barriers.waits(place, place.isShared());
    }

    /** Whether a place stands before a barrier here. */
    public boolean isBefore(Place place, Barrier barrier) {
        assert isHeldHere();
        return barriers != null && barriers.isBefore(place, barrier.part(index));
    }

    /**
     * The barriers that a place waits for here, the last one first.
     *
     * @param onlyNearest whether to leave out the barriers that another one of them waits for
     */
    public List<Place> barriersBefore(Place place, boolean onlyNearest) {
        assert isHeldHere();
        List<Place> before = new ArrayList<>();
        if (barriers != null) {
            if (onlyNearest) {
                barriers.forEachNearest(place, hasOnlyShared(place), before::add);
            } else {
                barriers.forEachBefore(place, hasOnlyShared(place), before::add);
            }
        }
        return before;
    }

    /** The last barrier that a place waits for here; null if there is none. */
    @Nullable
    Barrier lastBarrierBefore(Place place) {
        assert isHeldHere();
        return barriers == null ? null : barriers.lastBefore(place, hasOnlyShared(place));
    }

    /** The first barrier that waits for a step here; null if there is none. */
    @Nullable
    Barrier firstBarrierAfter(Step step) {
        assert isHeldHere();
        return barriers == null ? null : barriers.firstAfter(step.place(), step.isShared());
    }

    /** Whether all steps that a place has here are shared. */
    private boolean hasOnlyShared(Place place) {
        if (place.step(0).isShared() && !(place instanceof Barrier)) {
            // the exclusive ones would be the first
            return true;
        }
        for (int i = 0; i < place.steps(); i++) {
            Step step = place.step(i);
            if (step.order.bin == this && !step.isShared()) {
                return false;
            }
        }
        return true;
    }

    void forEachGrantedBarrier(Consumer<? super Barrier> visitor) {
        forEachBarrier(barrier -> {
            if (barrier.isGranted()) {
                visitor.accept(barrier);
            }
        });
    }

    /** Whether one of the barriers here meets a condition. */
    public boolean hasBarrier(Predicate<? super Place> condition) {
        assert isHeldHere();
        return barriers != null && barriers.any(condition);
    }

    void forEachBarrier(Consumer<? super Barrier> visitor) {
        assert isHeldHere();
        if (barriers != null) {
            barriers.forEach(visitor);
        }
    }
}
