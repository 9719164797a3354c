package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import io.orderedexecutor.engine.pool.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of the table of keys: a small hash table of orders, all of it written by whoever has the bin. A thread has it
 * for a few pointer writes; longer when a barrier that leaves grants the places behind it, and when a look visits the
 * places that share a key; never while code of the application runs. One word says who may have it:
 *
 * <pre>
 *   FREE ──▶ TAKEN      by the thread that has it then
 *   TAKEN ──▶ a request by a thread that has found it taken: the last one, which knows those before it
 *   a request ──▶ TAKEN by the thread that has the bin, which does all of them before it lets go
 *   TAKEN ──▶ FREE      by the thread that has it
 * </pre>
 *
 * <p>So a thread that finds the bin taken need not wait: it leaves its {@link Request} with whoever has it, and goes
 * on. A holder that is preempted thus holds up the keys of its bin, and no thread. A thread that needs more than one
 * bin, or an answer, leaves a request to be {@linkplain Turn given the bin}, and waits. A bin that was closed by a
 * shutdown has states of its own, so that a request is either left before that, and done, or refused.
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
     * two keys took 1,600 ns instead of 640 where they parked at once.
     */
    private static final int LOOKS = 100;

    /** How many waiting shared steps a thread that has the bin grants at most, before it lets go. */
    private static final int MOST_SHARED_GRANTED = 16;

    /** Behind all hashes, read as numbers without a sign. */
    static final long END = 1L << Integer.SIZE;

    /** What a thread that finds the bin taken asks the thread that has it to do. */
    abstract static class Request {
        /**
         * The request before this one; later, the request after it. Written before this request is left, and then by
         * the thread that has the bin.
         */
        @Nullable
        Request next;

        /** Whether the bin was closed when this request was left; of a mark, whether it is one of a closed bin. */
        boolean isAfterClose;

        /** Done under the bin. */
        abstract void perform(Bin bin);
    }

    /** A state of the word that is no request. */
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
    private static final class Turn extends Request {
        private final Thread thread = Thread.currentThread();
        private final Platform platform;

        private enum End {
            HAS_BIN,
            GAVE_UP
        }

        /** How the wait has ended: by the thread that gives the bin, or by the one that waits. Null before. */
        private final AtomicReference<@Nullable End> end = new AtomicReference<>();

        Turn(Platform platform) {
            this.platform = platform;
        }

        @Override
        void perform(Bin bin) {
            throw new AssertionError("a bin is given to a thread, and not by a thread");
        }

        /** Gives the bin to the thread, which does what is pending; false if it waits no longer. */
        boolean giveBin() {
            if (!end.compareAndSet(null, End.HAS_BIN)) {
                return false;
            }
            platform.unpark(thread);
            return true;
        }

        /**
         * Returns whether the thread has the bin; false if an Error has struck somewhere, perhaps in the thread that
         * has it.
         */
        boolean await(Orders orders) {
            long patience = platform.patienceNanos();
            long begun = platform.nanoTime();
            boolean isTold = false;
            boolean interrupted = false;
            try {
                while (end.get() == null) {
                    platform.parkNanos(this, patience);
                    // an interrupt would make each park return at once
                    interrupted |= Thread.interrupted();
                    if (orders.broken() != null) {
                        end.compareAndSet(null, End.GAVE_UP);
                    } else if (!isTold && end.get() == null && platform.nanoTime() - begun >= patience) {
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

    /** Where it is in the table, which is the order in which several bins are taken. */
    final int index;

    private volatile Request state;

    // All that follows is guarded by the bin.

    /** Requests that were left, oldest first, and are not done. */
    private @Nullable Request pending;

    /** The first place that was granted since the bin was taken, and is in no list. */
    private @Nullable Place firstGranted;

    /**
     * The other places that were granted since then, and everything else that the thread that has the bin must see to.
     */
    private @Nullable Grants grants;

    /** How many shared steps that had waited were granted since the bin was taken. */
    private int sharedGranted;

    private boolean isClosed;
    private boolean isOver;

    /** The heads of the chains. Read without the bin by those who search. */
    private volatile @Nullable Order[] chains = new Order[4];

    private int size;

    /**
     * How often an order was opened, or the chains were made anew. If this has not changed, a thread that has searched
     * without the bin and found no order has searched all of them. Written after the chains, and read before them.
     */
    private volatile int version;

    /** How many steps stand in the orders of this bin, by what barriers ask for. */
    private int exclusives;

    private int shareds;

    /** How many steps wait here that are not the first one of their place. */
    private int furtherSteps;

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

    /** Takes the bin if nobody has it. */
    boolean tryTake() {
        Request seen = state;
        boolean taken = (seen == FREE && STATE.compareAndSet(this, FREE, TAKEN))
                || (seen == CLOSED_FREE && STATE.compareAndSet(this, CLOSED_FREE, CLOSED_TAKEN));
        if (taken) {
            sharedGranted = 0;
        }
        return taken;
    }

    /** How {@link #takeOrLeave} has ended. */
    enum Outcome {
        /** The caller has the bin; nothing is left. */
        TAKEN,
        /** The request is left: the thread that has the bin will perform it, or has performed it. */
        LEFT,
        /** The bin is closed, and the request is not for a closed bin; nothing is left. */
        REFUSED
    }

    /**
     * Takes the bin, or leaves a request with whoever has it.
     *
     * @param evenIfClosed whether a closed bin accepts the request, too
     */
    Outcome takeOrLeave(Request request, boolean evenIfClosed) {
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
                    return Outcome.LEFT;
                }
            }
        }
    }

    /**
     * Takes the bin, and waits for it if somebody has it.
     *
     * @throws IllegalStateException if whoever has it may never let it go, since an Error has struck there
     */
    public void take() {
        if (!takesUnlessStuck()) {
            throw orders.brokenException();
        }
    }

    /**
     * Takes the bin, and waits for it if somebody has it: most often that is over before this thread could park.
     *
     * @return false if whoever has it may never let it go
     */
    boolean takesUnlessStuck() {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (tryTake()) {
                return true;
            }
        }
        if (orders.broken() != null) {
            return false;
        }
        Turn turn = new Turn(orders.platform());
        try {
            if (takeOrLeave(turn, true) == Outcome.TAKEN) {
                return true;
            }
            boolean given = turn.await(orders);
            if (given) {
                sharedGranted = 0;
            }
            return given;
        } catch (VirtualMachineError | LinkageError failure) {
            // nobody comes to let it go
            orders.setBroken(failure);
            throw failure;
        }
    }

    /**
     * Performs the requests that were left meanwhile, and lets the bin go.
     *
     * @return the effects of all changes, which the caller must see to; null if there are none
     */
    @Nullable
    public Grants release() {
        while (true) {
            Request request = pending;
            if (request != null) {
                pending = request.next;
                request.next = null;
                if (request instanceof Turn turn) {
                    Grants mine = takeGrants();
                    if (turn.giveBin()) {
                        return mine;
                    }
                    grants = mine;
                } else {
                    request.perform(this);
                }
                continue;
            }
            noteIfOver();
            Grants mine = takeGrants();
            if (STATE.compareAndSet(this, taken(), isClosed ? CLOSED_FREE : FREE)) {
                return mine;
            }
            grants = mine;
            takePending(taken());
        }
    }

    private Request taken() {
        return isClosed ? CLOSED_TAKEN : TAKEN;
    }

    /** The first place that was granted, for the thread that goes on with it: it needs no list. */
    @Nullable
    public Place takeFirstGranted() {
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

    /** Puts the requests that were left since the last time behind the pending ones, oldest first. */
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

    /** Accepts no more places, except those whose requests were left before. */
    void close() {
        if (!isClosed) {
            isClosed = true;
            takePending(CLOSED_TAKEN);
        }
    }

    /** Whether its only order is that of the barriers, which is used although it is in no table. */
    boolean isOfGate() {
        return index == Orders.OF_GATE;
    }

    public boolean isClosed() {
        return isClosed;
    }

    // the table

    int version() {
        return version;
    }

    /**
     * Looks for an order, without the bin: {@code equals} of the keys is code of the application.
     *
     * @return one that was open; null if there was none, which is so if the version has not changed since before
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
                // it was closed meanwhile, and leads to no other
                searched = chains;
                next = searched[hash & (searched.length - 1)];
            }
            order = next;
        }
        return null;
    }

    Order open(Object key, int hash) {
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
        // an object that refers to a closed order, as a place that is over does, keeps no other orders in memory
        order.setNextInBin(order);
        size--;
        if (chains.length > 64 && size < chains.length / 8) {
            resize(chains.length / 4);
        }
        noteIdle();
    }

    /** Lets threads that wait until no task is left look again. */
    void noteIdle() {
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
     * Whether a place of one exclusive key came after all barriers that wait here or run. Then a later submission may
     * still join it, or replace its task; else it would pass a barrier that was submitted before it.
     */
    public boolean isBehindBarriers(Place place) {
        return barriers == null || barriers.isBehindAll(place);
    }

    /** Whether barriers wait here or run. */
    public boolean hasBarriers() {
        return barriers != null;
    }

    /** Null if a place stands here. */
    @Nullable
    Integer versionIfEmpty() {
        return exclusives == 0 && shareds == 0 && barriers == null ? version : null;
    }

    /**
     * Visits some orders; the visitor opens and closes none. The chains are visited by their numbers read backwards,
     * bit by bit: so the parts of a chain that is divided follow one another, and each order that stays is visited
     * once, although the chains may be made anew between two calls. Redis scans its tables in that order.
     *
     * @param from where to go on; 0 at first
     * @param most after how many orders, or empty chains, no other chain is begun
     * @return where to go on; {@link #END} if all have been visited
     */
    long forSomeOrders(long from, int most, Consumer<? super Order> visitor) {
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

    /** A place holds all of its orders: it is looked at when the bin is let go. */
    void grant(Place place) {
        if (firstGranted == null && !place.isOverWhenGranted()) {
            firstGranted = place;
        } else {
            orGrants().add(place);
        }
    }

    /** Whether one more shared step that has waited may be granted by the thread that has the bin. */
    boolean mayGrantShared() {
        return sharedGranted++ < MOST_SHARED_GRANTED;
    }

    /** More steps of an order are to be granted than one thread that has the bin may grant. */
    void noteUnfinished(Order order) {
        orGrants().noteUnfinished(order);
    }

    /** Takes a step into an order; returns whether its place is granted by that. */
    public boolean enter(Order order, Step step) {
        count(step, 1);
        if (barriers != null) {
            barriers.enter(step);
        }
        return order.append(step);
    }

    /** Takes a place into an order, by a thread that is not its submitter: it may have been taken back before. */
    public void enterLate(Order order, Place place) {
        boolean granted = enter(order, place);
        // a thread that takes the place back either sees that it has an order, or is seen here
        VarHandle.fullFence();
        if (place.isTakenBack()) {
            // by a thread that may have looked before the place had an order
            leave(place);
            forget(place);
        } else if (granted) {
            grant(place);
        }
    }

    /** A step holds its order from now on: whether its place holds all it needs. */
    boolean isGranted(Step step) {
        if (!step.granted()) {
            return false;
        }
        // a place of several keys counts what it waits for
        return !(step instanceof Place place && barriers != null && barriers.waitsToBeTold(place));
    }

    /**
     * A step leaves its order: either the step has held the order, or its place was taken back. {@link #forget} follows
     * when all steps of the place in this bin have left.
     */
    void leave(Step step) {
        if (!step.isOut() && !(step instanceof Place place && place.isVacated())) {
            uncount(step);
            step.order.remove(step);
        }
    }

    /** Called when a place has left that may have waited for barriers. */
    void forget(Place place) {
        if (barriers != null) {
            barriers.forget(place);
        }
    }

    /** Called by orders when a step that is not the first one of its place begins or ceases to wait. */
    void countFurtherSteps(int more) {
        furtherSteps += more;
    }

    /** How many steps wait here that are not the first one of their place. */
    int furtherSteps() {
        return furtherSteps;
    }

    private void count(Step step, int more) {
        if (step.isShared()) {
            shareds += more;
        } else {
            exclusives += more;
        }
    }

    /** No longer counts a step that leaves, and lets barriers go on that have waited for it. Also called by orders. */
    void uncount(Step step) {
        count(step, -1);
        if (barriers != null) {
            barriers.leave(step);
        }
    }

    /** The places of an order that hold all they need. */
    public void forEachGranted(Order order, Consumer<? super Place> visitor) {
        order.forEachHolder(step -> {
            Place place = step.place();
            if (place instanceof Many many ? many.isGranted() : !waitsForBarriers(place)) {
                visitor.accept(place);
            }
        });
    }

    // barriers

    void enter(Barrier.Part part) {
        if (barriers == null) {
            barriers = new Barriers(this, exclusives, shareds);
        }
        barriers.enter(part);
    }

    /** A barrier leaves: those behind it may go on. */
    void leave(Barrier.Part part) {
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
        return barriers != null && barriers.isBefore(place, barrier.part(index));
    }

    /**
     * The barriers that a place waits for here, the last one first.
     *
     * @param onlyNearest whether those are left out for which another one of them waits
     */
    public List<Place> barriersBefore(Place place, boolean onlyNearest) {
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
        return barriers == null ? null : barriers.lastBefore(place, hasOnlyShared(place));
    }

    /** The first barrier that waits for a step here; null if there is none. */
    @Nullable
    Barrier firstBarrierAfter(Step step) {
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

    void forEachBarrier(Consumer<? super Barrier> visitor) {
        if (barriers != null) {
            barriers.forEach(visitor);
        }
    }
}
