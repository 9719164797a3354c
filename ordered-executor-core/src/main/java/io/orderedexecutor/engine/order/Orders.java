package io.orderedexecutor.engine.order;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.Key;
import io.orderedexecutor.engine.order.Order.Step;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The orders of all keys of an executor, in {@linkplain Bin bins} that are made when they are first used. Places enter
 * and leave here; the {@link Sink} gets the places that this grants.
 *
 * <p>A thread searches for an order without the bin, since {@code equals} of a key is code of the application, and
 * checks the result under the bin: an order that was found must still be open, and if none was found, none must have
 * been opened since. For keys that are compared by identity, for keys of some classes of the JDK, and for a {@link Key}
 * of such, any holder of the bin may search; so a submitter that finds the bin taken posts a place with one such key as
 * a request. In other cases, or if the submitter has to know whether the key has room, it waits for the bin.
 */
public final class Orders {
    private static final AtomicIntegerFieldUpdater<Orders> PAUSED =
            AtomicIntegerFieldUpdater.newUpdater(Orders.class, "paused");

    /** How many bins there are; a power of two. */
    private static final int BINS = 64;

    /** The index of the bin of {@link #gate}, which is not one of {@link #bins}. */
    static final int OF_GATE = BINS;

    /**
     * How many steps a look visits, perhaps some more, before it releases a bin; but a look that visits all steps of an
     * order visits them at once. With 300,000 keys, statistics hold a bin for 4 microseconds at most in 99 of 100
     * cases, and for 5 to 14 in 999 of 1,000. With 32 steps these were 6 and 40: the hold then lasts so long that one
     * in 1,000 meets a timer interrupt.
     */
    private static final int MOST_VISITED = 16;

    /** Finds threads for the granted places when their bin was released. */
    public interface Sink {
        /** Called after the bins are released: finds a thread for each granted place, and handles the other results. */
        void seeTo(Grants grants);

        /**
         * Called on the thread of the submitter, when it has let its place enter the orders; not for a place that has
         * entered by {@link Bin#enterLate}, such as one whose request another thread has performed.
         *
         * @param own the state that the submitter gave the place: its task or its reservation; perhaps a later state,
         *     unless another submitter may replace the task
         * @param granted whether a place of one key is granted; a place of several keys counts its grants itself
         * @return the exception of a pool that has refused the place, which was then taken back; null if the place was
         *     accepted
         */
        @Nullable
        Throwable entered(Place place, Object own, boolean granted);
    }

    private final Platform platform;
    private final Sink sink;

    /** The executor, in messages. */
    private final String description;

    private final boolean byIdentity;
    private final AtomicReferenceArray<@Nullable Bin> bins = new AtomicReferenceArray<>(BINS);

    /**
     * How many bins are not closed and empty. Counted down once for each. A bin that is first made after the shutdown
     * is closed from the start, and counts as empty, although a place that also enters an open bin may still enter it.
     */
    private final AtomicInteger occupied = new AtomicInteger(BINS);

    /** How many keys are paused. Changed atomically, under the bins of the keys. */
    private volatile int paused;

    /** Whether bins are made closed. */
    @GuardedBy("bins")
    private boolean closed;

    /**
     * The Error that broke this executor: the JVM lacked stack or memory in the middle of a change that no other thread
     * completes. For example, a thread held a bin, ended a task, or was about to hand over a granted place. A
     * LinkageError counts, too: the JVM throws one if such a lack strikes at the first use of a class or a lambda. The
     * bin stays taken, or the place never runs or leaves, since the change is incomplete in an unknown way. Of several
     * Errors, any one stays. This class writes it where the Error is caught, without a call: there may be no stack left
     * for one.
     */
    private volatile @Nullable Error broken;

    /**
     * The bins that may stay taken for good, since an Error has struck a thread that held them; a bit for each, modulo
     * 64. Written before {@link #broken}, and read after it; only {@link #giveUp} writes it later. If Errors strike two
     * threads at once, one bit may be lost: a thread that does not see it waits for that bin in vain, then sets it.
     */
    private long struck;

    /** How many barriers have ever entered. Guarded by all bins. */
    private long barriersEntered;

    /** The order of barriers among themselves; with a bin of its own, which is in no table. */
    private final Order gate;

    /** The key of the orders that no key of the application leads to. */
    private static final class Keyless {
        @Override
        public String toString() {
            return "no key";
        }
    }

    /** Stands for the order of a step that has not entered its order. */
    private final Order none;

    private static final Keyless KEYLESS = new Keyless();

    public Orders(Platform platform, Sink sink, String description, boolean byIdentity) {
        this.platform = platform;
        this.sink = sink;
        this.description = description;
        this.byIdentity = byIdentity;
        Bin ofGate = new Bin(this, OF_GATE, false);
        ofGate.take();
        this.gate = ofGate.open(KEYLESS, 0);
        var unused = ofGate.release();
        this.none = new Order(ofGate, KEYLESS, 0);
    }

    public Order none() {
        return none;
    }

    /** The order of barriers among themselves. */
    Order gate() {
        return gate;
    }

    public Platform platform() {
        return platform;
    }

    public Sink sink() {
        return sink;
    }

    // keys

    public boolean isByIdentity() {
        return byIdentity;
    }

    boolean areEqual(Object key, Object other) {
        return key == other || (!byIdentity && key != KEYLESS && other.equals(key));
    }

    public static boolean isKeyless(Object key) {
        return key == KEYLESS;
    }

    private int hashOf(Object key) {
        return spread(byIdentity ? System.identityHashCode(key) : key.hashCode());
    }

    public static int spread(int hashCode) {
        int hash = hashCode * 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    public static int binOf(int hash) {
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(BINS));
    }

    /** Whether any holder of a bin may compare this key with others. */
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

    /**
     * Runs an action under a bin. Then, without the bin, hands the places that the action, and the requests of other
     * threads, have granted to the sink.
     *
     * @param action has changed nothing if it throws, except for want of stack or memory
     */
    public <T extends @Nullable Object> T under(Bin bin, Supplier<T> action) {
        bin.take();
        return with(bin, action);
    }

    /** Like {@link #under(Bin, Supplier)}, for a thread that has taken the bin already. Releases the bin. */
    private <T extends @Nullable Object> T with(Bin bin, Supplier<T> action) {
        try {
            T result;
            try {
                result = action.get();
            } catch (Throwable thrown) {
                if (!(thrown instanceof VirtualMachineError || thrown instanceof LinkageError)) {
                    letGo(bin);
                }
                throw thrown;
            }
            letGo(bin);
            return result;
        } catch (VirtualMachineError | LinkageError failure) {
            struck |= 1L << bin.index;
            broken = failure;
            throw failure;
        }
    }

    /**
     * Runs an action under several bins, which all threads take in the same order. Then, without any of them, hands the
     * places that the action, and the requests of other threads, have granted to the sink. The method for one bin makes
     * no array, so a resume of all keys allocates a kilobyte less.
     */
    private <T extends @Nullable Object> T under(Bin[] bins, Supplier<T> action) {
        int taken = 0;
        try {
            T result;
            try {
                for (; taken < bins.length; taken++) {
                    bins[taken].take();
                }
                result = action.get();
            } catch (Throwable thrown) {
                if (!(thrown instanceof VirtualMachineError || thrown instanceof LinkageError)) {
                    letGo(bins, taken);
                }
                throw thrown;
            }
            letGo(bins, taken);
            return result;
        } catch (VirtualMachineError | LinkageError failure) {
            for (int i = 0; i <= taken && i < bins.length; i++) {
                struck |= 1L << bins[i].index;
            }
            broken = failure;
            throw failure;
        }
    }

    private void letGo(Bin[] bins, int taken) {
        Grants grants = null;
        for (int i = taken - 1; i >= 0; i--) {
            grants = Grants.merged(grants, bins[i].release());
        }
        if (grants != null) {
            sink.seeTo(grants);
        }
    }

    /** Releases a bin, and hands the places that were granted under it to the sink. */
    public void letGo(Bin bin) {
        Grants grants = bin.release();
        if (grants != null) {
            sink.seeTo(grants);
        }
    }

    /** Visits a bin, under it; does nothing if an Error may keep it taken for good. */
    void look(Bin bin, Consumer<? super Bin> visitor) {
        if (bin.takesUnlessStuck()) {
            with(bin, () -> {
                visitor.accept(bin);
                return true;
            });
        }
    }

    /** Runs an action; an Error in it breaks the executor, since no other thread would complete the change. */
    public void orBreak(Runnable action) {
        try {
            action.run();
        } catch (VirtualMachineError | LinkageError failure) {
            broken = failure;
            throw failure;
        }
    }

    /** Called for an Error outside of this class, in the middle of a change that no other thread completes. */
    public void setBroken(Error failure) {
        broken = failure;
    }

    /** Like {@link #setBroken(Error)}, for a thread that may have held a bin when the Error struck. */
    public void setBroken(Error failure, Bin bin) {
        struck |= 1L << bin.index;
        broken = failure;
    }

    /** Called by a thread of a broken executor that has waited for a bin in vain. */
    void giveUp(Bin bin) {
        struck |= 1L << bin.index;
    }

    /** Whether a bin may stay taken for good, since an Error has struck a thread that held it. */
    boolean isStruck(Bin bin) {
        return broken != null && (struck & 1L << bin.index) != 0;
    }

    public IllegalStateException brokenException() {
        return new IllegalStateException(messageIfBroken(), broken);
    }

    public String messageIfBroken() {
        return description + " is broken: stack or memory came to an end in the middle of a change, see the cause, so"
                + " some of its keys may wait for ever, and it accepts no more tasks; restart the application, and do"
                + " not submit or cancel tasks from a recursion that may use up the stack";
    }

    /** Reports on another thread, since this one may hold other bins. */
    void tellOfLongWait(Thread waiting) {
        TimeoutException told = new TimeoutException("Thread '" + waiting.getName() + "' has waited for "
                + TimeUnit.NANOSECONDS.toSeconds(platform.patienceNanos()) + " s for a lock of " + description
                + ". No code of the application runs while a thread holds this lock, so its holder is probably"
                + " suspended, for example by a debugger, or gets no processor. Take a thread dump, and look for a"
                + " thread inside " + Orders.class.getPackageName());
        try {
            var unused = platform.scheduleAsync(0, () -> UncaughtFailures.report(told));
        } catch (RuntimeException | Error noThread) {
            // the wait goes on
        }
    }

    /** The Error that has broken this executor; null if there is none. */
    @Nullable
    public Error broken() {
        return broken;
    }

    // entering

    /** A key, and what a search for its order has found. */
    public final class Search {
        final Object key;
        final int hash;
        final Bin bin;
        private int version;
        private @Nullable Order found;

        public Search(Object key) {
            this.key = key;
            this.hash = hashOf(key);
            this.bin = Orders.this.bin(hash);
        }

        /** A search that was made already. */
        Search(Object key, int hash, Bin bin, int version, @Nullable Order found) {
            this.key = key;
            this.hash = hash;
            this.bin = bin;
            this.version = version;
            this.found = found;
        }

        public Bin bin() {
            return bin;
        }

        /** Without the bin. */
        public void search() {
            version = bin.version();
            found = bin.search(key, hash);
        }

        /** Called under the bin: whether the result of the search still holds. */
        public boolean holds() {
            Order order = found;
            return order == null ? bin.version() == version : order.isOpen();
        }

        /** The order that was found; null if there was none. */
        @Nullable
        public Order found() {
            return found;
        }

        /** Called under the bin, if the search holds. */
        boolean hasPlaces() {
            Order order = found;
            return bin.hasBarriers() || (order != null && !order.isEmpty());
        }

        /**
         * Returns the order that was found; opens one if none was found. To open one, the caller must hold the bin, and
         * the result of the search must still hold.
         */
        public Order orOpen() {
            Order order = found;
            if (order == null) {
                order = bin.open(key, hash);
                found = order;
            }
            return order;
        }

        /** Called under the bin, by another thread. */
        Order searchedAgain() {
            if (!holds()) {
                found = bin.search(key, hash);
            }
            return orOpen();
        }
    }

    /** The request to let a place enter an order. */
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
    public boolean enter(Place place, Object key) {
        return enter(place, key, null) == EntryOutcome.ENTERED;
    }

    /** How the attempt of a place to enter the order of a key has ended. */
    public enum EntryOutcome {
        /** The place has entered, or its request is posted. */
        ENTERED,
        /** There was no room for the place. */
        NO_ROOM,
        /** The executor is shut down. */
        CLOSED
    }

    /**
     * Takes room for a place, then the place itself in the order of one key.
     *
     * @param takesRoom called under the bin; takes all room that the place needs, or none and returns false. The caller
     *     needs that answer, and so waits for the bin instead of posting a request. Null if the place needs no room
     */
    public EntryOutcome enter(Place place, Object key, @Nullable Predicate<? super Order> takesRoom) {
        int hash = hashOf(key);
        Bin bin = bin(hash);
        while (true) {
            int version = bin.version();
            Order found = bin.search(key, hash);
            if (!bin.tryTake()) {
                if (takesRoom == null && isSearchedByOthers(key)) {
                    Entry entry = new Entry(new Search(key, hash, bin, version, found), place);
                    Bin.Outcome posted = bin.takeOrPost(entry, false);
                    if (posted != Bin.Outcome.TAKEN) {
                        return posted == Bin.Outcome.POSTED ? EntryOutcome.ENTERED : EntryOutcome.CLOSED;
                    }
                } else {
                    bin.take();
                }
            }
            // null if the result of the search is out of date
            EntryOutcome outcome = null;
            Throwable refusal = null;
            try {
                boolean granted = false;
                if (bin.isClosed()) {
                    outcome = EntryOutcome.CLOSED;
                } else if (found == null ? bin.version() == version : found.isOpen()) {
                    Order order = found == null ? bin.open(key, hash) : found;
                    if (takesRoom == null || takesRoom.test(order)) {
                        granted = bin.enter(order, place);
                        outcome = EntryOutcome.ENTERED;
                    } else {
                        order.closeIfUnused();
                        outcome = EntryOutcome.NO_ROOM;
                    }
                }
                letGo(bin);
                if (outcome == EntryOutcome.ENTERED) {
                    refusal = sink.entered(place, place.state(), granted);
                }
            } catch (VirtualMachineError | LinkageError failure) {
                struck |= 1L << bin.index;
                broken = failure;
                throw failure;
            }
            throwIfAny(refusal);
            if (outcome != null) {
                return outcome;
            }
        }
    }

    /** Throws the exception of a pool, even a checked one: not all languages declare them. */
    @SuppressWarnings("unchecked")
    public static <E extends Throwable> void throwIfAny(@Nullable Throwable refusal) throws E {
        if (refusal != null) {
            throw (E) refusal;
        }
    }

    /**
     * Takes a place behind the places in the order of a key, even if the executor is shut down.
     *
     * @return false if the key has no order: then no place stands there
     */
    public boolean enterBehind(Place place, Object key) {
        while (true) {
            Order order = find(key);
            if (order == null) {
                return false;
            }
            Boolean granted = under(order.bin, () -> order.isOpen() ? order.bin.enter(order, place) : null);
            if (granted != null) {
                afterEntry(place, granted);
                return true;
            }
        }
    }

    /** Enters a place into an order of its own, where only barriers conflict with it. */
    public boolean enterAlone(Place place) {
        Boolean granted = enterAlone(place.step(0), platform().random(), () -> {});
        if (granted != null) {
            afterEntry(place, granted);
        }
        return granted != null;
    }

    /**
     * Like {@link #enterAlone(Place)}, for a place that a list has, too. Such places enter in the order of the list.
     * The place is not granted before {@link #finishEntry}.
     *
     * @param list adds the place to the list; called under the bin, which is the same for all such places
     */
    public boolean enterAlone(Many place, Runnable list) {
        // a hash of the first bin, under which all of them are listed; random, to spread them over its chains
        int hash = platform.random() >>> Integer.numberOfTrailingZeros(BINS);
        return enterAlone(place.step(0), hash, list) != null;
    }

    private @Nullable Boolean enterAlone(Step step, int hash, Runnable list) {
        Bin bin = bin(hash);
        return under(bin, () -> {
            if (bin.isClosed()) {
                return null;
            }
            list.run();
            return bin.enter(bin.open(KEYLESS, hash), step);
        });
    }

    /** Opens an order that no key leads to. The caller changes the order under its bin, and never leaves it empty. */
    public Order openForGood(Place first) {
        Bin bin = bin(0);
        return under(bin, () -> {
            Order order = bin.open(KEYLESS, 0);
            bin.enterLate(order, first);
            return order;
        });
    }

    /** Called by the submitter of a place that has entered, when the place waits for all that it has to wait for. */
    public void finishEntry(Many place) {
        afterEntry(place, false);
    }

    /** Takes a place in the orders of several keys, in all at once. Its first steps are those of the exclusive keys. */
    public boolean enter(Many place, List<Object> exclusive, List<Object> shared, List<Object> uncounted) {
        return enter(place, searchesFor(exclusive, shared, uncounted), false);
    }

    /** Takes a place in the orders that a submission has kept. Ends the keeping, unless the executor is shut down. */
    public boolean enter(Place place, Guests guests) {
        return enter(place, guests.searches, true);
    }

    private boolean enter(Place place, Search[] searches, boolean areKept) {
        return enter(place, binsOf(searches), areKept ? new Search[0] : searches, () -> {
            boolean granted = false;
            for (int i = 0; i < searches.length; i++) {
                Order order = searches[i].orOpen();
                granted |= order.bin.enter(order, place.step(i));
                if (areKept) {
                    order.removeGuest();
                }
            }
            return granted;
        });
    }

    /**
     * Takes a place in several orders at once.
     *
     * @param taken the bins of all of them
     * @param enters called under these bins if the results of the searches hold; returns whether a place of one key is
     *     granted
     */
    private boolean enter(Place place, Bin[] taken, Search[] searches, BooleanSupplier enters) {
        boolean shareBins = taken.length < searches.length || place instanceof Barrier;
        boolean shareHashes = shareBins && shareHashes(searches);
        while (true) {
            for (Search search : searches) {
                search.search();
            }
            if (shareHashes) {
                requireOneOrderEach(searches);
            }
            Entered entered = under(taken, () -> {
                if (taken[0].isClosed()) {
                    return Entered.NEVER;
                }
                for (Search search : searches) {
                    if (!search.holds()) {
                        return Entered.NOT_YET;
                    }
                }
                return enters.getAsBoolean() ? Entered.AND_GRANTED : Entered.AND_WAITS;
            });
            if (entered.has) {
                afterEntry(place, entered == Entered.AND_GRANTED);
            }
            if (entered != Entered.NOT_YET) {
                return entered.has;
            }
        }
    }

    /** Whether a place has entered its orders. */
    private enum Entered {
        /** The executor is shut down. */
        NEVER(false),
        /** The result of the search is out of date. */
        NOT_YET(false),
        /** The place waits; or it has several keys, and counts the missing grants itself. */
        AND_WAITS(true),
        AND_GRANTED(true);

        private final boolean has;

        Entered(boolean has) {
            this.has = has;
        }
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

    /**
     * Whether some keys have one hash. A set has kept all of them, but if their {@code equals} is wrong, two may be one
     * key: throws if one equals the other, but not the other way round.
     */
    private boolean shareHashes(Search[] searches) {
        boolean any = false;
        // a hash table with open addressing: a set would take more time than all the searches
        @Nullable Search[] table = new Search[Integer.highestOneBit(searches.length) * 4];
        for (Search search : searches) {
            int at = search.hash & (table.length - 1);
            for (Search other = table[at]; other != null; other = table[at]) {
                if (other.hash == search.hash) {
                    if (areEqual(search.key, other.key) || areEqual(other.key, search.key)) {
                        throw refusal(other, search);
                    }
                    any = true;
                }
                at = (at + 1) & (table.length - 1);
            }
            table[at] = search;
        }
        return any;
    }

    /** Throws if two searches have found one order: a place that enters an order twice waits for itself. */
    private static void requireOneOrderEach(Search[] searches) {
        IdentityHashMap<Order, Search> found = new IdentityHashMap<>();
        for (Search search : searches) {
            Search other = search.found == null ? null : found.putIfAbsent(search.found, search);
            if (other != null) {
                throw refusal(other, search);
            }
        }
    }

    private static IllegalArgumentException refusal(Search one, Search other) {
        return new IllegalArgumentException("two of the groups, of " + one.key.getClass() + " and of "
                + other.key.getClass() + ", equal one key, but are not equal to each other; correct their equals, or "
                + "use groups of one class");
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

    /** Takes a place in the orders of all keys. A barrier that shares them may have some keys exclusively. */
    public boolean enter(Barrier barrier, List<Object> exclusive) {
        Search[] searches = exclusive.stream().map(Search::new).toArray(Search[]::new);
        return enter(barrier, allBins(), searches, () -> {
            barrier.setNumber(++barriersEntered);
            gate.bin.enter(gate, barrier.step(0));
            for (int i = 0; i < BINS; i++) {
                barrier.enter(binAt(i));
            }
            for (int i = 0; i < searches.length; i++) {
                searches[i].bin.enter(searches[i].orOpen(), barrier.step(i + 1));
            }
            return false;
        });
    }

    private Bin[] allBins() {
        Bin[] all = new Bin[BINS + 1];
        for (int i = 0; i < BINS; i++) {
            all[i] = makeBin(i);
        }
        all[BINS] = gate.bin;
        return all;
    }

    /** Whether barriers wait or run in the bin of a place of one key. */
    public boolean hasBarriersFor(Place place) {
        return under(place.order.bin, place.order.bin::hasBarriers);
    }

    private Bin binAt(int index) {
        return Objects.requireNonNull(bins.get(index));
    }

    /** Orders that are kept in the table for a submission. */
    public final class Guests {
        private final Search[] searches;
        private final List<Order> counted;

        private Guests(Search[] searches) {
            this.searches = searches;
            this.counted = new ArrayList<>(searches.length);
        }

        /** The search for the first key of the submission; null if none of its keys is kept. */
        @Nullable
        public Search first() {
            return searches.length == 0 ? null : searches[0];
        }

        /** The orders of the keys in which the submission needs room, in the order in which it takes the room. */
        public List<Order> counted() {
            return counted;
        }

        public void leave() {
            leave(searches.length);
        }

        private void leave(int kept) {
            for (Search search : List.of(searches).subList(0, kept)) {
                under(search.bin, () -> {
                    search.orOpen().removeGuest();
                    return true;
                });
            }
        }
    }

    /**
     * Finds or opens the orders of keys, and keeps them in the table, even if they are empty, until
     * {@link Guests#leave}, or until the place of the submission enters. Keeps none of them if a key throws when it is
     * compared.
     *
     * @param attach makes the attachment of an order that has none; called under its bin
     */
    public Guests visit(
            List<Object> exclusive,
            List<Object> shared,
            List<Object> uncounted,
            Function<? super Order, ? extends Order.Attachment> attach) {
        Search[] searches = searchesFor(exclusive, shared, uncounted);
        Guests guests = new Guests(searches);
        int kept = 0;
        try {
            for (Search search : searches) {
                keep(search, attach);
                kept++;
            }
            if (shareHashes(searches)) {
                requireOneOrderEach(searches);
            }
        } catch (Throwable ofKey) {
            guests.leave(kept);
            throw ofKey;
        }
        for (int i = 0; i < exclusive.size() + shared.size(); i++) {
            guests.counted.add(searches[i].orOpen());
        }
        guests.counted.sort(Comparator.<Order>comparingInt(order -> order.bin.index)
                .thenComparingInt(order -> order.hash)
                .thenComparingInt(System::identityHashCode));
        return guests;
    }

    private void keep(Search search, Function<? super Order, ? extends Order.Attachment> attach) {
        underFound(search, () -> {
            search.orOpen().addGuest(attach);
            return true;
        });
    }

    /** Searches, and runs an action under the bin when the result of the search holds there. */
    private <T> T underFound(Search search, Supplier<T> action) {
        T result = null;
        while (result == null) {
            search.search();
            result = this.<@Nullable T>under(search.bin, () -> search.holds() ? action.get() : null);
        }
        return result;
    }

    private void afterEntry(Place place, boolean granted) {
        afterEntry(place, place.state(), granted);
    }

    /**
     * Called by the submitter of a place that has entered its orders. Hands the place over if its turn has come.
     *
     * @param own see {@link Sink#entered}
     * @param granted see {@link Sink#entered}
     */
    public void afterEntry(Place place, Object own, boolean granted) {
        Throwable refusal;
        try {
            refusal = sink.entered(place, own, granted);
        } catch (VirtualMachineError | LinkageError failure) {
            broken = failure;
            throw failure;
        }
        throwIfAny(refusal);
    }

    // leaving

    /** The request to let a step leave its order. */
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

    /** Lets a place leave all of its orders, and hands the places that this grants to the sink. */
    public void leave(Place place) {
        try {
            Grants grants = leaveAll(place);
            if (grants != null) {
                sink.seeTo(grants);
            }
        } catch (VirtualMachineError | LinkageError failure) {
            broken = failure;
            throw failure;
        }
    }

    /**
     * The bin of a place that has one step and nothing else to leave; null for other places, and for a place that has
     * not entered.
     */
    @Nullable
    public Bin binIfOnly(Place place) {
        Order order = place.order;
        return place instanceof Many || order == none ? null : order.bin;
    }

    /**
     * Lets a place of one key, which is over, leave its order.
     *
     * @return whether the caller holds the bin now, and has to release it; if not, the holder of the bin lets the place
     *     leave
     */
    public boolean leaves(Place place, Bin bin) {
        place.leaveRooms();
        return takesOrLeaves(bin, place, true);
    }

    /**
     * Grants a few more steps of an order. Returns the granted places, and whether the granting is still unfinished.
     */
    @Nullable
    public Grants grantMore(Order order) {
        Bin bin = order.bin;
        try {
            bin.take();
            if (!order.goOnGranting()) {
                bin.noteUnfinished(order);
            }
            return bin.release();
        } catch (VirtualMachineError | LinkageError failure) {
            struck |= 1L << bin.index;
            broken = failure;
            throw failure;
        }
    }

    /** Finishes the granting in an order. Takes the bin anew for every few places. */
    public void goOnGranting(Order order) {
        boolean isDone = false;
        while (!isDone) {
            isDone = under(order.bin, order::goOnGranting);
        }
    }

    /**
     * Lets a place, which is over, leave all of its orders. Where the bin is taken, its holder may let the place leave.
     *
     * @return the results of the changes that this thread has made; null if there are none
     */
    @Nullable
    public Grants leaveAll(Place place) {
        place.leaveRooms();
        Grants all = null;
        if (place instanceof Barrier barrier) {
            // as for a step below: either the thread that lets the barrier enter sees that the barrier was taken back,
            // or this thread sees that the barrier has entered
            VarHandle.fullFence();
            if (barrier.step(0).order == none) {
                return null;
            }
            all = leaveParts(barrier);
        }
        int steps = place.steps();
        for (int i = 0; i < steps; i++) {
            Step step = place.step(i);
            if (step.order == none) {
                // either the thread that lets the place enter sees that it is out, or this thread sees its order
                VarHandle.fullFence();
            }
            Order order = step.order;
            if (order != none) {
                all = Grants.merged(all, leave(order.bin, step, steps == 1 || isLastIn(place, i, order.bin)));
            }
        }
        return Grants.merged(all, place.leaveElsewhere());
    }

    /** Lets a step leave. Returns the results; null if there are none, or the holder of the bin lets the step leave. */
    private @Nullable Grants leave(Bin bin, Step step, boolean isLastHere) {
        try {
            return takesOrLeaves(bin, step, isLastHere) ? bin.release() : null;
        } catch (VirtualMachineError | LinkageError failure) {
            struck |= 1L << bin.index;
            broken = failure;
            throw failure;
        }
    }

    /** Lets a step leave; then the caller holds the bin. Returns false if another holder of the bin does that. */
    private static boolean takesOrLeaves(Bin bin, Step step, boolean isLastHere) {
        if (step.place().mustLeaveItself()) {
            bin.take();
        } else if (!bin.tryTake() && bin.takeOrPost(new Exit(step, isLastHere), true) == Bin.Outcome.POSTED) {
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

    private @Nullable Grants leaveParts(Barrier barrier) {
        Grants all = null;
        for (int i = 0; i < BINS; i++) {
            all = Grants.merged(all, leave(binAt(i), barrier));
        }
        return all;
    }

    private @Nullable Grants leave(Bin bin, Barrier barrier) {
        try {
            // waits for the bin: its holder should not have to grant all places that wait for the barrier. A request is
            // posted only where an Error may keep the bin taken for good
            if (!bin.takesUnlessStuck() && bin.takeOrPost(new Barrier.Exit(barrier), true) != Bin.Outcome.TAKEN) {
                return null;
            }
            bin.leave(barrier.part(bin.index));
            return bin.release();
        } catch (VirtualMachineError | LinkageError failure) {
            struck |= 1L << bin.index;
            broken = failure;
            throw failure;
        }
    }

    // control

    boolean isAnyPaused() {
        return paused > 0;
    }

    /** Pauses a key, unless the executor is shut down. */
    public void pause(Object key) {
        Search search = new Search(key);
        underFound(search, () -> {
            if (!search.bin.isClosed() && search.orOpen().setPaused(true)) {
                PAUSED.getAndIncrement(this);
            }
            return true;
        });
    }

    /** Resumes a key. Returns the places that threads may have found paused; null if the key was not paused. */
    @Nullable
    public List<Place> resume(Object key) {
        Order order = find(key);
        return order == null ? null : resume(order);
    }

    @Nullable
    public List<Place> resume(Order order) {
        List<Place> held = new ArrayList<>();
        boolean[] wasPaused = {false};
        look(order.bin, bin -> {
            if (order.setPaused(false)) {
                wasPaused[0] = true;
                PAUSED.getAndDecrement(this);
                bin.forEachGranted(order, held::add);
                bin.forEachGrantedBarrier(held::add);
            }
        });
        return wasPaused[0] ? held : null;
    }

    /** The places of all keys that threads may have found paused. */
    public Set<Place> startable() {
        Set<Place> held = new LinkedHashSet<>();
        forEachOrder(order -> {
            order.bin.forEachGranted(order, held::add);
            if (order.isOfOutput()) {
                // its pieces may start before they are granted
                order.forEachWaiting(step -> {
                    if (step.place().isSetAside()) {
                        held.add(step.place());
                    }
                });
            }
        });
        forEachBin(bin -> bin.forEachGrantedBarrier(held::add));
        return held;
    }

    /**
     * Accepts no more places, except by {@link #enterBehind}. Places that have entered, or were posted as requests, go
     * on.
     */
    public void close() {
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

    /** Called when {@code count} more bins are closed and empty; no place enters them any more. */
    public void onEmptied(int count) {
        occupied.getAndAdd(-count);
    }

    /** Whether all bins are closed and empty, for good. */
    public boolean isOver() {
        return occupied.get() == 0;
    }

    // finding

    /**
     * Finds the order of a key; null if there is none. The keys are compared without the bin. The answer is then
     * checked under it, when all requests that were posted before are performed: the chains may have been linked anew
     * during the search, and a place that this thread has submitted may have been posted as a request.
     */
    @Nullable
    public Order find(Object key) {
        Search search = new Search(key);
        underFound(search, () -> true);
        return search.found;
    }

    /** Whether a place stands in the order of a key, or a barrier in the orders of all keys. */
    public boolean hasPlaces(Object key) {
        Search search = new Search(key);
        return underFound(search, search::hasPlaces);
    }

    /** Whether no place stands in any order, except {@link #gate}, in all bins at the same moment. */
    public boolean isEmpty() {
        int busyPeriods = busyPeriodsIfEmpty();
        return busyPeriods >= 0 && busyPeriodsIfEmpty() == busyPeriods;
    }

    /**
     * A number that changes whenever a step enters a bin without steps; negative if a place stands in one of the bins.
     * A barrier without keys of its own does not change it. But it enters all bins at once, and leaves the last one
     * last: so if none stands in the last bin, none stands in any bin at that moment.
     */
    private int busyPeriodsIfEmpty() {
        int busyPeriods = 0;
        for (int i = 0; i < BINS; i++) {
            Bin bin = bins.get(i);
            Integer ofBin = bin == null ? Integer.valueOf(0) : under(bin, bin::busyPeriodsIfEmpty);
            if (ofBin == null) {
                return -1;
            }
            busyPeriods += ofBin;
        }
        return busyPeriods & Integer.MAX_VALUE;
    }

    /** Visits each bin, under it, except that of {@link #gate}. */
    public void forEachBin(Consumer<? super Bin> visitor) {
        for (int i = 0; i < BINS; i++) {
            Bin bin = bins.get(i);
            if (bin != null) {
                look(bin, visitor);
            }
        }
    }

    /**
     * Visits each order except {@link #gate}, under its bin. The bin is released after some of them, so that no thread
     * waits for it long.
     */
    public void forEachOrder(Consumer<? super Order> visitor) {
        forEachOrder(1, bin -> {}, visitor);
    }

    /**
     * Visits each order, as {@link #forEachOrder(Consumer)}.
     *
     * @param steps about how many steps of each order are visited at most
     * @param begin called once for each bin, under the bin, before its first order is visited
     */
    void forEachOrder(int steps, Consumer<? super Bin> begin, Consumer<? super Order> visitor) {
        int most = Math.max(1, MOST_VISITED / Math.max(1, steps));
        for (int i = 0; i < BINS; i++) {
            Bin bin = bins.get(i);
            long[] at = {bin == null ? Bin.END : 0};
            while (at[0] < Bin.END) {
                long from = at[0];
                at[0] = Bin.END;
                look(bin, taken -> {
                    if (from == 0) {
                        begin.accept(taken);
                    }
                    at[0] = taken.forSomeOrders(from, most, visitor);
                });
            }
        }
    }

    /** The orders that meet a condition, which is checked under their bins. */
    public List<Order> all(Predicate<? super Order> condition) {
        List<Order> all = new ArrayList<>();
        forEachOrder(order -> {
            if (condition.test(order)) {
                all.add(order);
            }
        });
        return all;
    }
}
