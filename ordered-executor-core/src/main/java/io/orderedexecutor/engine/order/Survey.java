package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A look at all orders, some at a time: places come and go meanwhile, so the answers for two orders need not have been
 * true at the same moment. The look itself changes nothing. But a thread that looks also performs requests that other
 * threads have posted at a bin, and hands the places that these grant to the {@linkplain Orders.Sink sink}: so it may
 * run dependent actions, and even tasks.
 *
 * <p>Under a bin the look does no more than copy, count and check conditions.
 */
public final class Survey {
    private final Orders orders;

    public Survey(Orders orders) {
        this.orders = orders;
    }

    /**
     * The numbers of orders and of tasks; {@code deepest} is the largest number of queued tasks in one of these orders,
     * except those that no key leads to.
     */
    public record Counts(int orders, long queued, long deepest, long parked, long active) {}

    /** How many tasks there are in one order, and whether one of them is parked. */
    public record Depth(Order order, long queued, long active, boolean isParked) {}

    /**
     * Counts all tasks, and the orders that meet a condition. An order knows how many tasks wait in it; see
     * {@link Order#waitingTasks}.
     */
    public Counts count(Predicate<? super Order> isCounted) {
        Count count = new Count(isCounted);
        orders.forEachOrder(1, bin -> count.queued -= bin.furtherSteps(), count);
        // barriers stand there with their first step
        orders.look(orders.gate().bin, bin -> count.accept(orders.gate()));
        // a task of several keys may have left while a bin of many orders was released, and is subtracted then
        return new Counts(count.orders, Math.max(0, count.queued), count.deepest, count.parked, count.active);
    }

    /** Adds up the {@link Counts} of orders, one order after the other. Used by one thread. */
    private static final class Count implements Consumer<Order> {
        private final Predicate<? super Order> isCounted;
        private final Consumer<Step> addStarted = this::addStarted;

        int orders;
        long queued;
        long deepest;
        long parked;
        long active;

        /** How many tasks are queued in the order that is visited. */
        private long inOrder;

        Count(Predicate<? super Order> isCounted) {
            this.isCounted = isCounted;
        }

        /** Under the bin. */
        @Override
        public void accept(Order order) {
            inOrder = order.isOfOutput() ? 0 : order.waitingTasks();
            queued += inOrder;
            order.forEachStarted(addStarted);
            if (isCounted.test(order)) {
                orders++;
                deepest = Orders.isKeyless(order.key()) ? deepest : Math.max(deepest, inOrder);
            }
        }

        private void addStarted(Step step) {
            Place place = step.place();
            int tasks = place.queuedTasks();
            inOrder += tasks;
            // a place of several keys counts once
            if (step.isFirst()) {
                queued += tasks;
                // its state may change meanwhile: a place counts as active or as queued, and as parked only if queued
                parked += tasks > 0 && place.isParked() ? 1 : 0;
                active += tasks == 0 && place.isActive() ? 1 : 0;
            }
        }
    }

    /** Counts the tasks of one order. */
    public Depth depth(Order order) {
        return orders.under(order.bin, () -> depthOf(order));
    }

    /**
     * The orders with the most queued tasks, the deepest first.
     *
     * @param isCounted whether an order, with its tasks, may be chosen
     */
    public List<Depth> deepest(int limit, Predicate<? super Depth> isCounted) {
        Comparator<Depth> byQueued = Comparator.comparingLong(Depth::queued);
        Queue<Depth> deepest = new PriorityQueue<>(byQueued);
        orders.forEachOrder(order -> {
            Depth depth = depthOf(order);
            boolean isFull = deepest.size() >= limit;
            Depth least = deepest.peek();
            if (isCounted.test(depth) && (!isFull || (least != null && depth.queued() > least.queued()))) {
                if (isFull) {
                    deepest.remove();
                }
                deepest.add(depth);
            }
        });
        List<Depth> sorted = new ArrayList<>(deepest);
        sorted.sort(byQueued.reversed());
        return sorted;
    }

    /** Under the bin. */
    private static Depth depthOf(Order order) {
        long[] queued = {order.isOfOutput() ? 0 : order.waitingTasks()};
        long[] active = {0};
        boolean[] isParked = {false};
        order.forEachStarted(step -> {
            queued[0] += step.place().queuedTasks();
            active[0] += step.place().isActive() ? 1 : 0;
            isParked[0] |= step.place().isParked();
        });
        return new Depth(order, queued[0], active[0], isParked[0]);
    }

    /**
     * Visits the places that may have started, each under a bin. A place that holds the orders of several keys is
     * visited once for each of them.
     */
    public void forEachStarted(Consumer<? super Place> visitor) {
        Consumer<Step> ofStep = step -> visitor.accept(step.place());
        forEachOrder(order -> order.forEachStarted(ofStep));
    }

    /** Visits each order, that of the barriers, too, under its bin. */
    private void forEachOrder(Consumer<? super Order> visitor) {
        orders.forEachOrder(visitor);
        orders.look(orders.gate().bin, bin -> visitor.accept(orders.gate()));
    }

    /** Visits the place that has waited longest in each order, and the places that may have started. */
    public void forEachOldest(Consumer<? super Place> visitor) {
        Consumer<Step> ofStep = step -> visitor.accept(step.place());
        forEachOrder(order -> {
            order.forEachStarted(ofStep);
            Place oldest = order.oldestWaiting();
            if (oldest != null) {
                visitor.accept(oldest);
            }
        });
    }

    /** Whether there are places, and none of them goes on before something is resumed. */
    public boolean areHeldUp(Predicate<? super Place> goesOn) {
        boolean[] any = {false};
        boolean[] anyGoesOn = {false};
        Consumer<Place> look = place -> anyGoesOn[0] |= goesOn.test(place);
        Consumer<Bin> lookAtBarriers = bin -> {
            any[0] |= bin.hasBarriers();
            bin.forEachGrantedBarrier(look);
        };
        orders.forEachOrder(1, lookAtBarriers, order -> {
            any[0] |= !order.isEmpty();
            if (anyGoesOn[0]) {
                return;
            }
            if (order.isOfOutput()) {
                // its pieces start without holding it
                order.forEach(step -> look.accept(step.place()));
            } else {
                order.forEachHolder(step -> {
                    // a place that was taken back while it waited for another of its keys is about to leave
                    if (order.bin.holdsAll(step.place()) || step.place().isTakenBack()) {
                        look.accept(step.place());
                    }
                });
                Place next = order.isGrantingUnfinished() ? order.oldestWaiting() : null;
                if (next != null) {
                    look.accept(next);
                }
            }
        });
        if (any[0] && !anyGoesOn[0]) {
            // a place that has left meanwhile may have granted a barrier
            orders.forEachBin(lookAtBarriers);
        }
        return any[0] && !anyGoesOn[0];
    }

    /** The places that hold an order, and all barriers, each once. */
    public Set<Place> holders() {
        Set<Place> all = new LinkedHashSet<>();
        orders.forEachOrder(order -> order.forEachHolder(step -> all.add(step.place())));
        all.addAll(barriers());
        return all;
    }

    /**
     * Copies the steps of all orders, each order under its bin.
     *
     * @param mostWaiting how many of the waiting steps of an order are copied; the others are left out
     */
    public Lines lines(int mostWaiting) {
        Deque<Line> lines = new ArrayDeque<>();
        orders.forEachOrder(mostWaiting, bin -> {}, order -> lines.add(new Line(order, mostWaiting)));
        return new Lines(lines, barriers());
    }

    /** The steps of one order: first the holders, then the waiting steps in the order in which they entered. */
    private static final class Line {
        final Step[] steps;
        final int holders;

        /** The barriers around each step; null if the bin has none. */
        final Around @Nullable [] around;

        /** For each step, the index of the first one in its run of shared steps; null until it is needed. */
        private int @Nullable [] firstOfRun;

        /** Under the bin. */
        Line(Order order, int mostWaiting) {
            List<Step> copied = new ArrayList<>(1 + Math.min(order.listed(), mostWaiting));
            order.forEachHolder(copied::add);
            this.holders = copied.size();
            order.forEachWaiting(copied::add, mostWaiting);
            this.steps = copied.toArray(Step[]::new);
            this.around = order.bin.hasBarriers() ? new Around[steps.length] : null;
            Around last = null;
            for (int i = 0; around != null && i < steps.length; i++) {
                Around ofStep = new Around(
                        order.bin.lastBarrierBefore(steps[i].place()), order.bin.firstBarrierAfter(steps[i]));
                last = ofStep.equals(last) ? last : ofStep;
                around[i] = last;
            }
        }

        /** Visits the places of the last steps in conflict with a waiting one, the last of them first. */
        void forEachNearest(int index, Consumer<? super Place> visitor) {
            int[] firsts = firstsOfRuns();
            int last = firsts[index] - 1;
            for (int i = last; index >= holders && i >= 0 && i >= firsts[last]; i--) {
                visitor.accept(steps[i].place());
            }
        }

        /** Visits the places in this line that a barrier waits for. */
        void forEachBefore(Barrier barrier, Consumer<? super Place> visitor) {
            for (int i = 0; around != null && i < steps.length; i++) {
                Barrier first = around[i].after();
                boolean conflict = !(barrier.isOfShared() && steps[i].isShared());
                if (first != null && first.number() <= barrier.number() && conflict) {
                    visitor.accept(steps[i].place());
                }
            }
        }

        private int[] firstsOfRuns() {
            int[] firsts = firstOfRun;
            if (firsts == null) {
                firsts = new int[steps.length];
                for (int i = 1; i < firsts.length; i++) {
                    firsts[i] = steps[i].isShared() && steps[i - 1].isShared() ? firsts[i - 1] : i;
                }
                firstOfRun = firsts;
            }
            return firsts;
        }
    }

    /** The last barrier that a step waits for, and the first one that waits for it. */
    private record Around(
            @Nullable Barrier before, @Nullable Barrier after) {}

    /** A copy of all orders. No bin is taken by its methods. Used by one thread. */
    public static final class Lines {
        private final Deque<Line> lines;
        private final Set<Barrier> barriers;

        private Lines(Deque<Line> lines, Set<Barrier> barriers) {
            this.lines = lines;
            this.barriers = barriers;
        }

        /**
         * The places, each of them once and behind all places that it waits for, as far as the copies of the orders
         * agree. Called once, and last: this uses up the copy, since there may be millions of places.
         *
         * @param compared the places whose tasks are compared, in their order
         */
        public List<Place> inOrder(List<Place> compared) {
            Map<Place, Found> all = new LinkedHashMap<>();
            for (Line line = lines.poll(); line != null; line = lines.poll()) {
                Found last = null;
                for (int i = 0; i < line.steps.length; i++) {
                    Found found = found(all, line.steps[i].place());
                    if (last != null) {
                        last.isBefore(found);
                    }
                    last = found;
                    Around ofStep = line.around == null ? null : line.around[i];
                    if (ofStep != null && ofStep.before() != null) {
                        found(all, ofStep.before()).isBefore(found);
                    }
                    if (ofStep != null && ofStep.after() != null) {
                        found.isBefore(found(all, ofStep.after()));
                    }
                }
            }
            barriers.forEach(barrier -> found(all, barrier));
            // also barriers that have left meanwhile: other places were before or behind them
            noteEach(
                    all,
                    all.keySet().stream()
                            .filter(Barrier.class::isInstance)
                            .map(Barrier.class::cast)
                            .sorted(Comparator.comparingLong(Barrier::number))
                            .toList());
            noteEach(all, compared);
            return sorted(all.values());
        }

        /**
         * The places that each place of this copy waits for. To be called before {@link #inOrder}, which uses up the
         * copy.
         */
        public Nearest nearest() {
            return new Nearest(lines, barriers);
        }
    }

    /** Finds the places that a place of a copy waits for, for one place at a time. */
    public static final class Nearest {
        private final List<Line> lines;
        private final Map<Place, List<At>> byPlace = new HashMap<>();
        private final NavigableMap<Long, Barrier> byNumber = new TreeMap<>();

        private Nearest(Collection<Line> lines, Set<Barrier> barriers) {
            this.lines = List.copyOf(lines);
            for (Line line : lines) {
                for (int i = 0; i < line.steps.length; i++) {
                    byPlace.computeIfAbsent(line.steps[i].place(), any -> new ArrayList<>(1))
                            .add(new At(line, i));
                }
            }
            barriers.forEach(barrier -> byNumber.put(barrier.number(), barrier));
        }

        /**
         * The places that a place waits for and stands directly behind; in each order the last ones in conflict with
         * it. Null if one of its steps was left out of the copy.
         */
        @Nullable
        public Set<Place> of(Place place) {
            return byPlace.getOrDefault(place, List.of()).size() == place.steps() ? ofCopied(place) : null;
        }

        /**
         * Like {@link #of}, but never null. If the copy lacks steps of the place, the result has only the places that
         * the copied steps wait for.
         */
        public Set<Place> ofCopied(Place place) {
            List<At> copied = byPlace.getOrDefault(place, List.of());
            Set<Place> nearest = new LinkedHashSet<>();
            for (At at : copied) {
                at.line().forEachNearest(at.index(), nearest::add);
                Barrier last = at.line().around == null
                        ? null
                        : at.line().around[at.index()].before();
                if (last != null) {
                    nearest.add(last);
                    if (last.isOfShared()) {
                        // a shared barrier waits for no other shared one: add those directly before the last one, too
                        byNumber.headMap(last.number(), false).descendingMap().values().stream()
                                .takeWhile(Barrier::isOfShared)
                                .forEach(nearest::add);
                    }
                }
            }
            return nearest;
        }

        /** The places that a barrier waits for, except those that were left out of the copy. */
        public Set<Place> before(Barrier barrier) {
            Set<Place> before = new LinkedHashSet<>();
            for (Line line : lines) {
                line.forEachBefore(barrier, before::add);
            }
            for (At at : byPlace.getOrDefault(barrier, List.of())) {
                at.line().forEachNearest(at.index(), before::add);
            }
            byNumber.headMap(barrier.number(), false).values().stream()
                    .filter(earlier -> !(barrier.isOfShared() && earlier.isOfShared()))
                    .forEach(before::add);
            return before;
        }
    }

    /** Where a step stands in a copy. */
    private record At(Line line, int index) {}

    private static Found found(Map<Place, Found> all, Place place) {
        return all.computeIfAbsent(place, Found::new);
    }

    /** Notes that each of some places is before the next one. */
    private static void noteEach(Map<Place, Found> all, List<? extends Place> places) {
        Found last = null;
        for (Place place : places) {
            Found found = all.get(place);
            if (found != null) {
                if (last != null) {
                    last.isBefore(found);
                }
                last = found;
            }
        }
    }

    /**
     * A place, and the places behind it. Usually that is one, in a field of its own: there may be millions of places.
     */
    private static final class Found {
        final Place place;

        /** How many calls of {@link #isBefore} noted a place before this one that is not sorted yet. */
        int missing;

        private @Nullable Found behind;
        private @Nullable List<Found> furtherBehind;

        Found(Place place) {
            this.place = place;
        }

        /** Notes that this place is before another one. May be called twice for the same two. */
        void isBefore(Found later) {
            later.missing++;
            if (behind == null) {
                behind = later;
            } else {
                if (furtherBehind == null) {
                    furtherBehind = new ArrayList<>();
                }
                furtherBehind.add(later);
            }
        }

        void forEachBehind(Consumer<Found> visitor) {
            if (behind != null) {
                visitor.accept(behind);
            }
            if (furtherBehind != null) {
                furtherBehind.forEach(visitor);
            }
        }
    }

    private static List<Place> sorted(Collection<Found> all) {
        List<Place> sorted = new ArrayList<>(all.size());
        Deque<Found> free = new ArrayDeque<>();
        Consumer<Found> sortedOneBefore = later -> {
            later.missing--;
            if (later.missing == 0) {
                free.add(later);
            }
        };
        all.stream().filter(found -> found.missing == 0).forEach(free::add);
        while (!free.isEmpty()) {
            Found found = free.remove();
            sorted.add(found.place);
            found.forEachBehind(sortedOneBefore);
        }
        if (sorted.size() < all.size()) {
            // places have come and gone while this looked: none may be missing
            all.stream()
                    .filter(found -> found.missing > 0)
                    .map(found -> found.place)
                    .forEach(sorted::add);
        }
        return sorted;
    }

    /** The places in an order: first the places that hold it, then the waiting ones, first come, first served. */
    public List<Place> placesIn(Order order) {
        return orders.under(order.bin, () -> placesOf(order::forEach));
    }

    /** The places that hold an order, the oldest first. */
    public List<Place> holders(Order order) {
        return orders.under(order.bin, () -> placesOf(order::forEachHolder));
    }

    private static List<Place> placesOf(Consumer<Consumer<Step>> steps) {
        List<Place> places = new ArrayList<>();
        steps.accept(step -> places.add(step.place()));
        return places;
    }

    /**
     * The first place in an order that meets a condition; null if none does. The condition is checked under the bin.
     */
    @Nullable
    public Place first(Order order, Predicate<? super Place> condition) {
        return orders.under(order.bin, () -> order.first(condition));
    }

    /** How many tasks wait in the places of an order that meet a condition; counts no further than {@code most}. */
    public long queuedTasks(Order order, Predicate<? super Place> condition, long most) {
        long[] found = {0};
        Predicate<Place> isLast = place -> {
            found[0] += condition.test(place) ? place.queuedTasks() : 0;
            return found[0] >= most;
        };
        var unused = first(order, isLast);
        return Math.min(found[0], most);
    }

    /** See {@link Order#lastPlace}. */
    @Nullable
    public Place lastPlace(Order order) {
        return orders.under(order.bin, order::lastPlace);
    }

    /** The places that stand behind a place in one of its orders, and conflict with it. The place holds its orders. */
    public Set<Place> placesBehind(Place place) {
        Set<Place> behind = new LinkedHashSet<>();
        for (int i = 0; i < place.steps(); i++) {
            Order order = place.step(i).order;
            boolean isShared = place.step(i).isShared();
            orders.look(order.bin, bin -> {
                order.forEachWaiting(step -> {
                    if (!(isShared && step.isShared())) {
                        behind.add(step.place());
                    }
                });
                bin.forEachBarrier(barrier -> {
                    if (!(isShared && barrier.isOfShared())) {
                        behind.add(barrier);
                    }
                });
            });
        }
        if (place instanceof Barrier barrier) {
            orders.forEachOrder(order -> order.forEach(step -> {
                if (!(barrier.isOfShared() && step.isShared()) && !order.bin.isBefore(step.place(), barrier)) {
                    behind.add(step.place());
                }
            }));
            behind.remove(barrier);
        }
        return behind;
    }

    /** The barriers that wait or run. */
    public Set<Barrier> barriers() {
        Set<Barrier> barriers = new LinkedHashSet<>();
        orders.forEachBin(bin -> bin.forEachBarrier(barriers::add));
        return barriers;
    }

    /** The places with an attempt or a thread; in an output, also places that do not hold its order. */
    public List<Place> active() {
        Set<Place> active = new LinkedHashSet<>();
        forEachStarted(place -> {
            if (place.isActive() || place.thread() != null) {
                active.add(place);
            }
        });
        return List.copyOf(active);
    }
}
