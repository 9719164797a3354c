package io.orderedexecutor.engine.place;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.Key;
import io.orderedexecutor.engine.place.Order.Step;
import io.orderedexecutor.engine.pool.Platform;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The orders of all keys of an executor, in {@linkplain Bin bins} that are made when they are first used. Places enter
 * and leave here; what is granted by that goes to the {@link Service}.
 *
 * <p>An order is searched without the bin, since {@code equals} of a key is code of the application, and is then looked
 * at again under it: one that was found must still be open, and if none was found, none must have been opened. Only for
 * keys of some classes of the JDK may whoever has the bin do the search, so only places with such a key are left as a
 * request; with others a submitter waits for the bin if it is taken just then.
 */
final class Orders {
    /** How many bins there are; a power of two. */
    private static final int BINS = 64;

    private final Service service;
    private final boolean byIdentity;
    private final AtomicReferenceArray<@Nullable Bin> bins = new AtomicReferenceArray<>(BINS);

    /** How many bins are not closed and empty. Counted down once for each. */
    private final AtomicInteger occupied = new AtomicInteger(BINS);

    /** How many keys are paused. Written under the bins of the keys. */
    private final AtomicInteger paused = new AtomicInteger();

    /** Whether bins are made closed. */
    @GuardedBy("bins")
    private boolean closed;

    /** How many barriers have ever entered. Guarded by all bins. */
    private long barriersEntered;

    /** The order of barriers among themselves; with a bin of its own, which is in no table. */
    private final Order gate;

    /** Orders that no key leads to. */
    private static final class Keyless {
        @Override
        public String toString() {
            return "no key";
        }
    }

    /** Stands for the order of a step that has not entered its order. */
    private final Order none;

    private static final Keyless KEYLESS = new Keyless();

    Orders(Service service, boolean byIdentity) {
        this.service = service;
        this.byIdentity = byIdentity;
        Bin ofGate = new Bin(this, BINS, false);
        this.gate = ofGate.open(KEYLESS, 0);
        this.none = new Order(ofGate, KEYLESS, 0);
    }

    Order none() {
        return none;
    }

    Service service() {
        return service;
    }

    Platform platform() {
        return service.platform();
    }

    // keys

    boolean isByIdentity() {
        return byIdentity;
    }

    boolean areEqual(Object key, Object other) {
        return key == other || (!byIdentity && key != KEYLESS && other.equals(key));
    }

    static boolean isKeyless(Object key) {
        return key == KEYLESS;
    }

    private int hashOf(Object key) {
        return spread(byIdentity ? System.identityHashCode(key) : key.hashCode());
    }

    static int spread(int hashCode) {
        int hash = hashCode * 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    static int binOf(int hash) {
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(BINS));
    }

    /** Whether whoever has a bin may compare this key with others. */
    private boolean isSearchedByOthers(Object key) {
        return byIdentity
                || key instanceof String
                || key instanceof Long
                || key instanceof Integer
                || key instanceof UUID
                || key instanceof Enum
                || (key instanceof Key inSpace
                        && isSearchedByOthers(inSpace.space())
                        && isSearchedByOthers(inSpace.value()));
    }

    private Bin bin(int hash) {
        int index = binOf(hash);
        Bin bin = bins.get(index);
        return bin == null ? makeBin(index) : bin;
    }

    private Bin makeBin(int index) {
        synchronized (bins) {
            Bin bin = bins.get(index);
            if (bin == null) {
                bin = new Bin(this, index, closed);
                bins.set(index, bin);
            }
            return bin;
        }
    }

    /** Does something under a bin, and then sees to what has come of that. */
    <T extends @Nullable Object> T under(Bin bin, Supplier<T> action) {
        bin.take();
        T result;
        try {
            result = action.get();
        } finally {
            service.seeTo(bin.release());
        }
        return result;
    }

    // entering

    /** A key, and what a search for its order has found. */
    final class Search {
        final Object key;
        final int hash;
        final Bin bin;
        private int version;
        private @Nullable Order found;

        Search(Object key) {
            this.key = key;
            this.hash = hashOf(key);
            this.bin = bin(hash);
        }

        /** One that was made. */
        Search(Object key, int hash, Bin bin, int version, @Nullable Order found) {
            this.key = key;
            this.hash = hash;
            this.bin = bin;
            this.version = version;
            this.found = found;
        }

        /** Without the bin. */
        void search() {
            version = bin.version();
            found = bin.search(key, hash);
        }

        /** Under the bin: whether what was found is still so. */
        boolean holds() {
            Order order = found;
            return order == null ? bin.version() == version : order.isOpen();
        }

        /** Under the bin, if the search holds. */
        boolean hasPlaces() {
            Order order = found;
            return bin.hasBarriers() || (order != null && !order.isEmpty());
        }

        /** Under the bin, if the search holds. */
        Order orOpen() {
            Order order = found;
            if (order == null) {
                order = bin.open(key, hash);
                found = order;
            }
            return order;
        }

        /** Under the bin, by another thread. */
        Order searchedAgain() {
            if (!holds()) {
                found = bin.search(key, hash);
            }
            return orOpen();
        }
    }

    /** A place that is to enter an order. */
    private static final class Entry extends Bin.Request {
        private final Search search;
        private final Place place;

        Entry(Search search, Place place) {
            this.search = search;
            this.place = place;
        }

        @Override
        void perform(Bin bin) {
            bin.enterLate(search.searchedAgain(), place);
        }
    }

    /**
     * Takes a place in the order of one key.
     *
     * @return false if the executor is shut down
     */
    boolean enter(Place place, Object key) {
        int hash = hashOf(key);
        Bin bin = bin(hash);
        while (true) {
            int version = bin.version();
            Order found = bin.search(key, hash);
            if (!bin.tryTake()) {
                if (isSearchedByOthers(key)) {
                    Entry entry = new Entry(new Search(key, hash, bin, version, found), place);
                    Bin.Outcome outcome = bin.takeOrLeave(entry, false);
                    if (outcome != Bin.Outcome.TAKEN) {
                        return outcome == Bin.Outcome.LEFT;
                    }
                } else {
                    bin.take();
                }
            }
            boolean isClosed = bin.isClosed();
            boolean enters = !isClosed && (found == null ? bin.version() == version : found.isOpen());
            boolean granted = enters && bin.enter(found == null ? bin.open(key, hash) : found, place);
            service.seeTo(bin.release());
            if (enters) {
                afterEntry(place, granted);
            }
            if (enters || isClosed) {
                return enters;
            }
        }
    }

    /** So often a submission is compared with what stands last, which other submissions change meanwhile. */
    private static final int MOST_COMPARISONS = 10;

    /**
     * Decides on a submission where it arrives, and lets it take a place if it needs one.
     *
     * @param kept what the submission has kept, which is kept no longer if it takes a place; null if it has kept none
     * @param mayEnter whether it may take a place; else {@link Arrival.Answer#ENTERS} is said and not done
     */
    Arrival.Answer arrive(Arrival arrival, Object key, @Nullable Guests kept, boolean mayEnter) {
        boolean isKept = kept != null && kept.searches.length > 0;
        Search search = isKept ? Objects.requireNonNull(kept).searches[0] : new Search(key);
        Bin bin = search.bin;
        Arrival.Answer answer = Arrival.Answer.UNKNOWN;
        Place place = null;
        Object own = null;
        boolean granted = false;
        int comparisons = 0;
        while (answer == Arrival.Answer.UNKNOWN) {
            if (!isKept) {
                search.search();
            }
            bin.take();
            Place last = null;
            Place holder = null;
            boolean holds = isKept || search.holds();
            if (bin.isClosed()) {
                answer = Arrival.Answer.CLOSED;
            } else if (holds) {
                Order order = search.found;
                last = order == null ? null : order.lastPlace();
                if (last != null && !bin.isBehindBarriers(last)) {
                    last = null;
                }
                holder = order == null ? null : order.holder();
                boolean isBusy = service.isPaused() || bin.hasBarriers() || (order != null && order.isBusy());
                answer = arrival.decide(last, holder, isBusy);
                if (answer == Arrival.Answer.UNKNOWN && comparisons == MOST_COMPARISONS) {
                    // others would change it for ever
                    answer = Arrival.Answer.ENTERS;
                }
                if (answer == Arrival.Answer.ENTERS && mayEnter) {
                    place = arrival.place();
                    // before another submitter can replace its task
                    own = place.state();
                    granted = bin.enter(search.orOpen(), place);
                    if (isKept) {
                        search.orOpen().removeGuest();
                    }
                }
            }
            service.seeTo(bin.release());
            if (holds && answer == Arrival.Answer.UNKNOWN) {
                comparisons++;
                arrival.compare(last, holder);
            }
        }
        if (place != null && own != null) {
            try {
                afterEntry(place, own, granted);
            } finally {
                arrival.onEntered();
            }
        }
        if (place != null || answer == Arrival.Answer.JOINED) {
            arrival.onDecided();
        }
        return answer;
    }

    /**
     * Takes a place behind those that stand in the order of a key, even if the executor is shut down.
     *
     * @return false if none stands there
     */
    boolean enterBehind(Place place, Object key) {
        while (true) {
            Order order = find(key);
            if (order == null) {
                return false;
            }
            order.bin.take();
            boolean enters = order.isOpen();
            boolean granted = enters && order.bin.enter(order, place);
            service.seeTo(order.bin.release());
            if (enters) {
                afterEntry(place, granted);
                return true;
            }
        }
    }

    /**
     * Takes a place in an order of its own, in which it conflicts with barriers only. A place of several keys is not
     * granted before {@link #finishEntry}.
     */
    boolean enterAlone(Place place) {
        int hash = place instanceof Comparisons.Compared ? 0 : platform().random();
        Bin bin = bin(hash);
        bin.take();
        boolean enters = !bin.isClosed();
        if (enters && place instanceof Comparisons.Compared compared) {
            compared.list();
        }
        boolean granted = enters && bin.enter(bin.open(KEYLESS, hash), place.step(0));
        service.seeTo(bin.release());
        if (enters && !(place instanceof Many)) {
            afterEntry(place, granted);
        }
        return enters;
    }

    /** Opens an order that no key leads to, for one who changes it under its bin, and never leaves it empty. */
    Order openForGood(Place first) {
        Bin bin = bin(0);
        return under(bin, () -> {
            Order order = bin.open(KEYLESS, 0);
            bin.enterLate(order, first);
            return order;
        });
    }

    /** A place of several keys has entered all, and has been made to wait for all that it waits for. */
    void finishEntry(Many place) {
        afterEntry(place, place.isGrantedAfterOneLess());
    }

    /** Takes a place in the orders of several keys, in all at once: first the exclusive ones. */
    boolean enter(Many place, List<Object> exclusive, List<Object> shared, List<Object> uncounted) {
        return enter(place, searchesFor(exclusive, shared, uncounted), false);
    }

    /** Takes a place in the orders that a submission has kept, which are kept no longer. */
    boolean enter(Place place, Guests guests) {
        return enter(place, guests.searches, true);
    }

    private boolean enter(Place place, Search[] searches, boolean areKept) {
        Bin[] taken = binsOf(searches);
        while (true) {
            for (int i = 0; i < searches.length && !areKept; i++) {
                searches[i].search();
            }
            for (Bin bin : taken) {
                bin.take();
            }
            boolean isClosed = taken[0].isClosed();
            boolean enters = !isClosed;
            for (int i = 0; i < searches.length && enters; i++) {
                enters = areKept || searches[i].holds();
            }
            boolean granted = false;
            for (int i = 0; i < searches.length && enters; i++) {
                Order order = searches[i].orOpen();
                granted |= order.bin.enter(order, place.step(i));
                if (areKept) {
                    order.removeGuest();
                }
            }
            seeToAll(taken);
            if (enters) {
                afterEntry(place, place instanceof Many many ? many.isGrantedAfterOneLess() : granted);
            }
            if (enters || isClosed) {
                return enters;
            }
        }
    }

    /** Lets go of bins, and then sees to what has come of that: never while one of them is taken. */
    private void seeToAll(Bin[] taken) {
        Grants grants = null;
        for (int i = taken.length - 1; i >= 0; i--) {
            grants = Grants.merged(grants, taken[i].release());
        }
        service.seeTo(grants);
    }

    private Search[] searchesFor(List<Object> exclusive, List<Object> shared, List<Object> uncounted) {
        Search[] searches = new Search[exclusive.size() + shared.size() + uncounted.size()];
        int count = 0;
        for (List<Object> keys : List.of(exclusive, shared, uncounted)) {
            for (int i = 0; i < keys.size(); i++) {
                searches[count++] = new Search(keys.get(i));
            }
        }
        return searches;
    }

    /** Each bin once, in the order in which they are taken. */
    private static Bin[] binsOf(Search[] searches) {
        Bin[] bins = new Bin[searches.length];
        int count = 0;
        for (Search search : searches) {
            int at = count;
            while (at > 0 && bins[at - 1].index > search.bin.index) {
                at--;
            }
            if (at == 0 || bins[at - 1] != search.bin) {
                System.arraycopy(bins, at, bins, at + 1, count - at);
                bins[at] = search.bin;
                count++;
            }
        }
        return count == bins.length ? bins : Arrays.copyOf(bins, count);
    }

    /** Takes a place in the orders of all keys; where it shares them, it may have some exclusively. */
    boolean enter(Barrier barrier, List<Object> exclusive) {
        Search[] searches = exclusive.stream().map(Search::new).toArray(Search[]::new);
        while (true) {
            for (Search search : searches) {
                search.search();
            }
            for (int i = 0; i < BINS; i++) {
                makeBin(i).take();
            }
            gate.bin.take();
            boolean isClosed = binAt(0).isClosed();
            boolean enters = !isClosed;
            for (Search search : searches) {
                enters &= search.holds();
            }
            if (enters) {
                barrier.setNumber(++barriersEntered);
                gate.bin.enter(gate, barrier.step(0));
                for (int i = 0; i < BINS; i++) {
                    barrier.enter(binAt(i));
                }
                for (int i = 0; i < searches.length; i++) {
                    searches[i].bin.enter(searches[i].orOpen(), barrier.step(i + 1));
                }
            }
            Grants grants = gate.bin.release();
            for (int i = BINS - 1; i >= 0; i--) {
                grants = Grants.merged(grants, binAt(i).release());
            }
            service.seeTo(grants);
            if (enters) {
                service.hurry();
                finishEntry(barrier);
            }
            if (enters || isClosed) {
                return enters;
            }
        }
    }

    /** Whether barriers wait or run that concern a place. */
    boolean hasBarriersFor(Place place) {
        return under(place.order.bin, place.order.bin::hasBarriers);
    }

    private Bin binAt(int index) {
        return Objects.requireNonNull(bins.get(index));
    }

    /** Orders that are kept in the table for a submission. */
    final class Guests {
        private final Search[] searches;
        private final List<Room.OfKey> rooms = new ArrayList<>();

        private Guests(Search[] searches) {
            this.searches = searches;
        }

        /** Those in which it has to have room, in the order in which that is taken. */
        List<Room.OfKey> rooms() {
            return rooms;
        }

        void leave() {
            leave(searches.length);
        }

        private void leave(int kept) {
            for (Search search : List.of(searches).subList(0, kept)) {
                search.bin.take();
                search.orOpen().removeGuest();
                service.seeTo(search.bin.release());
            }
        }
    }

    /** Finds or opens the orders of keys, and keeps them. */
    Guests visit(List<Object> exclusive, List<Object> shared, List<Object> uncounted) {
        Search[] searches = searchesFor(exclusive, shared, uncounted);
        Guests guests = new Guests(searches);
        int kept = 0;
        try {
            for (; kept < searches.length; kept++) {
                keep(searches[kept]);
            }
        } finally {
            // a key may have thrown when it was compared
            if (kept < searches.length) {
                guests.leave(kept);
            }
        }
        for (int i = 0; i < exclusive.size() + shared.size(); i++) {
            guests.rooms.add(Objects.requireNonNull(searches[i].orOpen().room()));
        }
        guests.rooms.sort(Comparator.<Room.OfKey>comparingInt(room -> room.order.bin.index)
                .thenComparingInt(room -> room.order.hash)
                .thenComparingInt(System::identityHashCode));
        return guests;
    }

    private void keep(Search search) {
        boolean holds = false;
        while (!holds) {
            search.search();
            search.bin.take();
            holds = search.holds();
            if (holds) {
                search.orOpen().addGuest();
            }
            service.seeTo(search.bin.release());
        }
    }

    private void afterEntry(Place place, boolean granted) {
        afterEntry(place, place.state(), granted);
    }

    /**
     * For the submitter of a place.
     *
     * @param own the state in which it has brought the place
     */
    private void afterEntry(Place place, Object own, boolean granted) {
        if (place.isTakenBack()) {
            // by one who may have looked before there was an order
            leave(place);
        } else if (!granted) {
            service.onQueuedBehind(place, own);
        } else if (!place.isReadyWhenGranted()) {
            if (place.isOverWhenGranted()) {
                leave(place);
            }
        } else if (!service.setsAside(place)) {
            service.handOver(place, own);
        }
    }

    // leaving

    /** A step that is to leave its order. */
    private static final class Exit extends Bin.Request {
        private final Step step;
        private final boolean isLastHere;

        Exit(Step step, boolean isLastHere) {
            this.step = step;
            this.isLastHere = isLastHere;
        }

        @Override
        void perform(Bin bin) {
            bin.leave(step);
            if (isLastHere) {
                bin.forget(step.place());
            }
        }
    }

    /** A place leaves all of its orders, and what that grants goes to other threads. */
    void leave(Place place) {
        boolean hasRun = place.state() == Place.Out.LEFT;
        service.seeTo(leaveAll(place));
        if (!hasRun) {
            service.onOverUnrun();
        }
    }

    /**
     * The bin of a place that has one step and nothing else to leave; null of others, and of one that has not entered.
     */
    @Nullable
    Bin binIfOnly(Place place) {
        Order order = place.order;
        return place instanceof Many || order == none ? null : order.bin;
    }

    /**
     * A place of one key, which has run, leaves its order.
     *
     * @return whether the caller has the bin now; else whoever has it does the rest
     */
    boolean leaves(Place place, Bin bin) {
        leaveRooms(place);
        return takesOrLeaves(bin, place, true);
    }

    private static void leaveRooms(Place place) {
        if (place instanceof Piece piece) {
            piece.leaveSlot();
            piece.leaveWindow();
        }
    }

    /**
     * A place that has run, or was taken back, leaves all of its orders.
     *
     * @return what is granted by that; null if nothing is, or others see to it
     */
    @Nullable
    Grants leaveAll(Place place) {
        leaveRooms(place);
        if (place instanceof Barrier barrier) {
            return leaveAll(barrier);
        }
        Grants all = null;
        int steps = place.steps();
        for (int i = 0; i < steps; i++) {
            Step step = place.step(i);
            if (step.order == none) {
                // whoever lets it enter either is seen here, or sees that it is over
                VarHandle.fullFence();
            }
            Order order = step.order;
            if (order != none && takesOrLeaves(order.bin, step, steps == 1 || isLastIn(place, i, order.bin))) {
                all = Grants.merged(all, order.bin.release());
            }
        }
        return place instanceof Comparisons.Compared compared ? Grants.merged(all, compared.leave()) : all;
    }

    /** Lets a step leave; false if whoever has the bin does that. */
    private static boolean takesOrLeaves(Bin bin, Step step, boolean isLastHere) {
        if (step.place() instanceof Ticket.InOrder) {
            // not left with another thread, which would have to run what is granted by it
            bin.take();
        } else if (!bin.tryTake() && bin.takeOrLeave(new Exit(step, isLastHere), true) == Bin.Outcome.LEFT) {
            return false;
        }
        bin.leave(step);
        if (isLastHere) {
            bin.forget(step.place());
        }
        return true;
    }

    private boolean isLastIn(Place place, int index, Bin bin) {
        for (int i = index + 1; i < place.steps(); i++) {
            Order order = place.step(i).order;
            if (order != none && order.bin == bin) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Grants leaveAll(Barrier barrier) {
        if (barrier.step(0).order == none) {
            // whoever takes it there finds it taken back
            return null;
        }
        Grants all = null;
        for (int i = 0; i < BINS; i++) {
            Bin bin = binAt(i);
            bin.take();
            bin.leave(barrier.part(i));
            all = Grants.merged(all, bin.release());
        }
        for (int i = 0; i < barrier.steps(); i++) {
            Step step = barrier.step(i);
            Bin bin = step.order.bin;
            bin.take();
            bin.leave(step);
            if (isLastIn(barrier, i, bin)) {
                bin.forget(barrier);
            }
            all = Grants.merged(all, bin.release());
        }
        return all;
    }

    // control

    boolean isAnyPaused() {
        return paused.get() > 0;
    }

    /** Pauses a key, unless the executor is shut down. */
    void pause(Object key) {
        Search search = new Search(key);
        boolean done = false;
        while (!done) {
            search.search();
            done = under(search.bin, () -> {
                boolean holds = search.holds();
                if (!search.bin.isClosed() && holds && search.orOpen().setPaused(true)) {
                    paused.getAndIncrement();
                }
                return holds || search.bin.isClosed();
            });
        }
    }

    /** Lets a key go on; false if it was not paused. */
    boolean resume(Object key) {
        Order order = find(key);
        return order != null && resume(order);
    }

    private boolean resume(Order order) {
        List<Place> held = new ArrayList<>();
        boolean wasPaused = under(order.bin, () -> {
            boolean resumed = order.setPaused(false);
            if (resumed) {
                paused.getAndDecrement();
                order.bin.forEachGranted(order, held::add);
                order.bin.forEachGrantedBarrier(held::add);
            }
            return resumed;
        });
        service.startAllPaused(held);
        return wasPaused;
    }

    /** Lets all keys go on. */
    void resumeAll() {
        for (Order order : all()) {
            if (order.isPaused()) {
                resume(order);
            }
        }
    }

    /** Hands over what may have been found paused. */
    void startAll() {
        Set<Place> held = new LinkedHashSet<>();
        forEachBin(bin -> {
            bin.forEachOrder(order -> {
                bin.forEachGranted(order, held::add);
                order.forEachWaiting(step -> {
                    if (step instanceof Piece piece && piece.state() instanceof Place.Paused) {
                        held.add(piece);
                    }
                });
            });
            bin.forEachGrantedBarrier(held::add);
        });
        service.startAllPaused(held);
    }

    /** Accepts no more places; those that have entered, or were left to enter, go on. */
    void close() {
        synchronized (bins) {
            for (int i = 0; i < BINS && !closed; i++) {
                if (bins.get(i) == null) {
                    occupied.getAndDecrement();
                }
            }
            closed = true;
        }
        forEachBin(Bin::close);
    }

    /** So many bins are closed and empty for good. */
    void onEmptied(int count) {
        occupied.getAndAdd(-count);
    }

    /** Whether all bins are closed and empty, for good. */
    boolean isOver() {
        return occupied.get() == 0;
    }

    // looks

    /**
     * Finds the order of a key; null if there is none. The keys are compared without the bin. The answer is then
     * checked under it, when all requests that were left before are done: the chains may have been linked anew during
     * the search, and what this thread has submitted may have been left with whoever had the bin.
     */
    @Nullable
    Order find(Object key) {
        Search search = new Search(key);
        boolean holds = false;
        while (!holds) {
            search.search();
            holds = under(search.bin, search::holds);
        }
        return search.found;
    }

    /** Whether a place stands in the order of a key, or a barrier before it. */
    boolean hasPlaces(Object key) {
        Search search = new Search(key);
        Boolean has = null;
        while (has == null) {
            search.search();
            has = under(search.bin, () -> search.holds() ? search.hasPlaces() : null);
        }
        return has;
    }

    /** Whether no place stands in any order: at one moment, and not in each bin at another. */
    boolean isEmpty() {
        int opened = openedIfEmpty();
        return opened >= 0 && openedIfEmpty() == opened;
    }

    /** A number that changes whenever an order is opened; negative if a place stands somewhere. */
    private int openedIfEmpty() {
        int opened = 0;
        boolean isEmpty = true;
        for (int i = 0; i < BINS && isEmpty; i++) {
            Bin bin = bins.get(i);
            if (bin != null) {
                bin.take();
                isEmpty = bin.hasNoPlaces();
                opened += bin.version();
                service.seeTo(bin.release());
            }
        }
        return isEmpty ? opened & Integer.MAX_VALUE : -1;
    }

    /** Visits each bin, under it. */
    void forEachBin(Consumer<? super Bin> visitor) {
        for (int i = 0; i < BINS; i++) {
            Bin bin = bins.get(i);
            if (bin != null) {
                under(bin, () -> {
                    visitor.accept(bin);
                    return true;
                });
            }
        }
    }

    /** How many keys, and how many tasks, there are. */
    record Counts(int orders, long queued, long active) {}

    /** How many tasks there are in one order. */
    record Depth(Order order, long queued, long active) {}

    /**
     * Counts the orders that are to be counted, and all tasks. What waits is known and not visited; see
     * {@link Order#waitingTasks}.
     */
    Counts count(Predicate<? super Order> isCounted) {
        int[] counted = {0};
        long[] queued = {0};
        long[] active = {0};
        Consumer<Step> add = step -> {
            if (step.isFirst()) {
                queued[0] += step.place().queuedTasks();
                active[0] += step.place().isActive() ? 1 : 0;
            }
        };
        Consumer<Order> look = order -> {
            counted[0] += isCounted.test(order) ? 1 : 0;
            queued[0] += order.isOfOutput() ? 0 : order.waitingTasks();
            order.forEachStarted(add);
        };
        forEachBin(bin -> {
            queued[0] -= bin.furtherSteps();
            bin.forEachOrder(look);
        });
        // barriers stand in no other order with their first step
        under(gate.bin, () -> {
            queued[0] += gate.waitingTasks();
            gate.forEachHolder(add);
            return true;
        });
        return new Counts(counted[0], queued[0], active[0]);
    }

    /** Counts the tasks of one order. */
    Depth depth(Order order) {
        return under(order.bin, () -> depthOf(order));
    }

    /** Counts the tasks of each order that is to be counted. */
    List<Depth> depths(Predicate<? super Order> isCounted) {
        List<Depth> depths = new ArrayList<>();
        forEachBin(bin -> bin.forEachOrder(order -> {
            if (isCounted.test(order)) {
                depths.add(depthOf(order));
            }
        }));
        return depths;
    }

    /** Under the bin. */
    private static Depth depthOf(Order order) {
        long[] queued = {order.isOfOutput() ? 0 : order.waitingTasks()};
        long[] active = {0};
        order.forEachStarted(step -> {
            queued[0] += step.place().queuedTasks();
            active[0] += step.place().isActive() ? 1 : 0;
        });
        return new Depth(order, queued[0], active[0]);
    }

    /** Visits the places that may have started, under a bin; one of several keys more than once. */
    void forEachStarted(Consumer<? super Place> visitor) {
        Consumer<Step> ofStep = step -> visitor.accept(step.place());
        forEachBin(bin -> bin.forEachOrder(order -> order.forEachStarted(ofStep)));
        under(gate.bin, () -> {
            gate.forEachHolder(ofStep);
            return true;
        });
    }

    /** Visits, of each order, the place that has waited longest, and those that may have started. */
    void forEachOldest(Consumer<? super Place> visitor) {
        forEachStarted(visitor);
        Consumer<Order> look = order -> {
            Place oldest = order.oldestWaiting();
            if (oldest != null) {
                visitor.accept(oldest);
            }
        };
        forEachBin(bin -> bin.forEachOrder(look));
        under(gate.bin, () -> {
            look.accept(gate);
            return true;
        });
    }

    /** Whether places stand somewhere, and none of them goes on by itself; see {@link Service#isHeldUp}. */
    boolean areHeldUp() {
        boolean[] any = {false};
        boolean[] goesOn = {false};
        Consumer<Place> look = place -> goesOn[0] |= service.goesOn(place);
        forEachBin(bin -> {
            any[0] |= !bin.hasNoPlaces();
            if (goesOn[0]) {
                return;
            }
            bin.forEachOrder(order -> {
                if (order.isOfOutput()) {
                    // its pieces start without holding it
                    order.forEach(step -> look.accept(step.place()));
                } else {
                    bin.forEachGranted(order, look);
                }
            });
            bin.forEachGrantedBarrier(look);
        });
        return any[0] && !goesOn[0];
    }

    /**
     * All places, first come, first served in each order; each once.
     *
     * @param onlyHolders whether only those that hold one of their orders
     */
    Set<Place> all(boolean onlyHolders) {
        Set<Place> all = new LinkedHashSet<>();
        forEachBin(bin -> {
            bin.forEachOrder(order -> {
                if (onlyHolders) {
                    order.forEachHolder(step -> all.add(step.place()));
                } else {
                    order.forEach(step -> all.add(step.place()));
                }
            });
            bin.forEachBarrier(all::add);
        });
        return all;
    }

    /**
     * All places, each once, and behind all that it waits for.
     *
     * @param compared those whose tasks are compared, in their order
     * @param mostWaiting how many of those that wait in an order are looked at; the others are left out
     */
    List<Place> inOrder(List<Place> compared, int mostWaiting) {
        Map<Place, Set<Place>> behind = new LinkedHashMap<>();
        Map<Place, Integer> missing = new HashMap<>();
        BiConsumer<Place, Place> note = (earlier, later) -> {
            if (behind.computeIfAbsent(earlier, place -> new LinkedHashSet<>()).add(later)) {
                missing.merge(later, 1, Integer::sum);
            }
        };
        forEachBin(bin -> {
            bin.forEachOrder(order -> {
                Place[] last = new Place[1];
                order.forEach(
                        step -> {
                            Place place = step.place();
                            behind.computeIfAbsent(place, any -> new LinkedHashSet<>());
                            if (last[0] != null) {
                                note.accept(last[0], place);
                            }
                            last[0] = place;
                            // the barriers further off are noted among themselves
                            Barrier before = bin.lastBarrierBefore(place);
                            if (before != null) {
                                note.accept(before, place);
                            }
                            Barrier after = bin.firstBarrierAfter(step);
                            if (after != null) {
                                note.accept(place, after);
                            }
                        },
                        mostWaiting);
            });
            bin.forEachBarrier(barrier -> behind.computeIfAbsent(barrier, any -> new LinkedHashSet<>()));
        });
        Place[] last = new Place[1];
        gate.bin.take();
        gate.forEach(step -> {
            if (last[0] != null && behind.containsKey(last[0]) && behind.containsKey(step.place())) {
                note.accept(last[0], step.place());
            }
            last[0] = step.place();
        });
        service.seeTo(gate.bin.release());
        for (int i = 1; i < compared.size(); i++) {
            if (behind.containsKey(compared.get(i - 1)) && behind.containsKey(compared.get(i))) {
                note.accept(compared.get(i - 1), compared.get(i));
            }
        }
        return sorted(behind, missing);
    }

    /**
     * The places that each one waits for and stands directly behind; in each order the last ones in conflict with it.
     *
     * @param mostWaiting how many of those that wait in an order are looked at; a place that this does not reach in
     *     each of its orders is left out
     */
    Map<Place, Set<Place>> nearest(int mostWaiting) {
        Map<Place, Set<Place>> nearest = new HashMap<>();
        Map<Place, Integer> unreached = new HashMap<>();
        forEachBin(bin -> bin.forEachOrder(order -> {
            List<Place> run = new ArrayList<>();
            List<Place> before = new ArrayList<>();
            boolean[] isSharedRun = new boolean[1];
            Consumer<Step> look = step -> {
                if (!(step.isShared() && isSharedRun[0]) || run.isEmpty()) {
                    before.clear();
                    before.addAll(run);
                    run.clear();
                    isSharedRun[0] = step.isShared();
                }
                Place place = step.place();
                run.add(place);
                unreached.merge(place, place.steps() - 1, (left, any) -> left - 1);
                Set<Place> ofPlace = nearest.computeIfAbsent(place, any -> new LinkedHashSet<>());
                if (!order.isHeldBy(step)) {
                    for (int i = before.size() - 1; i >= 0; i--) {
                        ofPlace.add(before.get(i));
                    }
                }
                ofPlace.addAll(bin.nearestBarriers(place));
            };
            order.forEach(look, mostWaiting);
        }));
        nearest.keySet().removeIf(place -> !Integer.valueOf(0).equals(unreached.get(place)));
        return nearest;
    }

    private static List<Place> sorted(Map<Place, Set<Place>> behind, Map<Place, Integer> missing) {
        List<Place> sorted = new ArrayList<>(behind.size());
        Deque<Place> free = new ArrayDeque<>();
        behind.keySet().stream().filter(place -> !missing.containsKey(place)).forEach(free::add);
        while (!free.isEmpty()) {
            Place place = free.remove();
            sorted.add(place);
            for (Place later : Objects.requireNonNull(behind.get(place))) {
                if (missing.merge(later, -1, Integer::sum) == 0) {
                    free.add(later);
                }
            }
        }
        if (sorted.size() < behind.size()) {
            // places have come and gone while this looked: none may be missing
            Set<Place> rest = new LinkedHashSet<>(behind.keySet());
            sorted.forEach(rest::remove);
            sorted.addAll(rest);
        }
        return sorted;
    }

    /** The places in an order: those that hold it, then those that wait, first come, first served. */
    List<Place> placesIn(Order order) {
        return under(order.bin, () -> {
            List<Place> places = new ArrayList<>();
            order.forEach(step -> places.add(step.place()));
            return places;
        });
    }

    /**
     * The first place in an order that meets a condition; null if none does. The condition is checked under the bin.
     */
    @Nullable
    Place first(Order order, Predicate<? super Place> condition) {
        return under(order.bin, () -> order.first(condition));
    }

    /** The place that was submitted last, if it stands in the order still; null if none stands there. */
    @Nullable
    Place lastPlace(Order order) {
        return under(order.bin, order::lastPlace);
    }

    /** The places that hold an order, first come, first served. */
    List<Place> holders(Order order) {
        return under(order.bin, () -> {
            List<Place> holders = new ArrayList<>();
            order.forEachHolder(step -> holders.add(step.place()));
            return holders;
        });
    }

    /** The places that wait for one which holds its orders: behind it in one of them, and in conflict with it. */
    Set<Place> placesBehind(Place place) {
        if (place instanceof Barrier) {
            Set<Place> all = all(false);
            all.remove(place);
            return all;
        }
        Set<Place> behind = new LinkedHashSet<>();
        for (int i = 0; i < place.steps(); i++) {
            Order order = place.step(i).order;
            order.bin.take();
            boolean isShared = place.step(i).isShared();
            order.forEachWaiting(step -> {
                if (!(isShared && step.isShared())) {
                    behind.add(step.place());
                }
            });
            order.bin.forEachBarrier(barrier -> {
                if (!(isShared && barrier.isOfShared())) {
                    behind.add(barrier);
                }
            });
            service.seeTo(order.bin.release());
        }
        return behind;
    }

    /** The barriers that wait or run. */
    Set<Place> barriers() {
        Set<Place> barriers = new LinkedHashSet<>();
        forEachBin(bin -> bin.forEachBarrier(barriers::add));
        return barriers;
    }

    /** The places with an attempt, or a thread: in an output, not only those that hold it. */
    List<Place> active() {
        Set<Place> active = new LinkedHashSet<>();
        forEachStarted(place -> {
            if (place.isActive() || place.thread() != null) {
                active.add(place);
            }
        });
        return List.copyOf(active);
    }

    List<Order> all() {
        List<Order> all = new ArrayList<>();
        forEachBin(bin -> bin.forEachOrder(all::add));
        return all;
    }
}
