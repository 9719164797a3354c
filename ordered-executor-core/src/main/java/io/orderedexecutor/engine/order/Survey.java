package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A look at all orders, some at a time: places come and go meanwhile, so the answers for two orders need not have been
 * true at the same moment. Nothing is changed.
 *
 * <p>Under a bin this does no more than copy and count.
 */
public final class Survey {
    private final Orders orders;

    public Survey(Orders orders) {
        this.orders = orders;
    }

    /** How many keys, and how many tasks, there are. */
    public record Counts(int orders, long queued, long active) {}

    /** How many tasks there are in one order. */
    public record Depth(Order order, long queued, long active) {}

    /**
     * Counts the orders that are to be counted, and all tasks. The number of waiting tasks is known without a visit;
     * see {@link Order#waitingTasks}.
     */
    public Counts count(Predicate<? super Order> isCounted) {
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
        orders.forEachOrder(bin -> queued[0] -= bin.furtherSteps(), look);
        // barriers stand there with their first step
        orders.look(orders.gate().bin, bin -> look.accept(orders.gate()));
        // in a bin of very many orders, a task of several keys may have left in between
        return new Counts(counted[0], Math.max(0, queued[0]), active[0]);
    }

    /** Counts the tasks of one order. */
    public Depth depth(Order order) {
        return orders.under(order.bin, () -> depthOf(order));
    }

    /** Counts the tasks of each order that is to be counted. */
    public List<Depth> depths(Predicate<? super Order> isCounted) {
        List<Depth> depths = new ArrayList<>();
        orders.forEachOrder(order -> {
            if (isCounted.test(order)) {
                depths.add(depthOf(order));
            }
        });
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
    public void forEachStarted(Consumer<? super Place> visitor) {
        Consumer<Step> ofStep = step -> visitor.accept(step.place());
        forEachOrder(order -> order.forEachStarted(ofStep));
    }

    /** Visits each order, that of the barriers, too, under its bin. */
    private void forEachOrder(Consumer<? super Order> visitor) {
        orders.forEachOrder(visitor);
        orders.look(orders.gate().bin, bin -> visitor.accept(orders.gate()));
    }

    /** Visits, of each order, the place that has waited longest, and those that may have started. */
    public void forEachOldest(Consumer<? super Place> visitor) {
        forEachStarted(visitor);
        forEachOrder(order -> {
            Place oldest = order.oldestWaiting();
            if (oldest != null) {
                visitor.accept(oldest);
            }
        });
    }

    /** Whether places stand somewhere, and none of them goes on by itself. */
    public boolean areHeldUp(Predicate<? super Place> goesOn) {
        boolean[] any = {false};
        boolean[] anyGoesOn = {false};
        Consumer<Place> look = place -> anyGoesOn[0] |= goesOn.test(place);
        Consumer<Bin> lookAtBarriers = bin -> {
            any[0] |= bin.hasBarriers();
            bin.forEachGrantedBarrier(look);
        };
        orders.forEachOrder(lookAtBarriers, order -> {
            any[0] |= !order.isEmpty();
            if (anyGoesOn[0]) {
                return;
            }
            if (order.isOfOutput()) {
                // its pieces start without holding it
                order.forEach(step -> look.accept(step.place()));
            } else {
                order.bin.forEachGranted(order, look);
                Place next = order.isGrantingUnfinished() ? order.oldestWaiting() : null;
                if (next != null) {
                    look.accept(next);
                }
            }
        });
        if (any[0] && !anyGoesOn[0]) {
            // one may have been granted by a place that has left meanwhile
            orders.forEachBin(lookAtBarriers);
        }
        return any[0] && !anyGoesOn[0];
    }

    /**
     * All places, first come, first served in each order; each once.
     *
     * @param onlyHolders whether only those that hold one of their orders
     */
    public Set<Place> all(boolean onlyHolders) {
        Set<Place> all = new LinkedHashSet<>();
        orders.forEachOrder(order -> {
            if (onlyHolders) {
                order.forEachHolder(step -> all.add(step.place()));
            } else {
                order.forEach(step -> all.add(step.place()));
            }
        });
        all.addAll(barriers());
        return all;
    }

    /**
     * All places, each once, and behind all that it waits for.
     *
     * @param compared those whose tasks are compared, in their order
     * @param mostWaiting how many of the waiting places of an order are looked at; the others are left out
     */
    public List<Place> inOrder(List<Place> compared, int mostWaiting) {
        Map<Place, Found> all = new LinkedHashMap<>();
        Function<Place, Found> find = place -> all.computeIfAbsent(place, Found::new);
        orders.forEachOrder(mostWaiting, order -> {
            Found[] last = new Found[1];
            order.forEach(
                    step -> {
                        Place place = step.place();
                        Found found = find.apply(place);
                        if (last[0] != null) {
                            last[0].isBefore(found);
                        }
                        last[0] = found;
                        // the barriers further off are noted among themselves
                        Barrier before = order.bin.lastBarrierBefore(place);
                        if (before != null) {
                            find.apply(before).isBefore(found);
                        }
                        Barrier after = order.bin.firstBarrierAfter(step);
                        if (after != null) {
                            found.isBefore(find.apply(after));
                        }
                    },
                    mostWaiting);
        });
        barriers().forEach(barrier -> all.computeIfAbsent(barrier, Found::new));
        Place[] last = new Place[1];
        orders.look(
                orders.gate().bin,
                bin -> orders.gate().forEach(step -> {
                    note(all, last[0], step.place());
                    last[0] = step.place();
                }));
        for (int i = 1; i < compared.size(); i++) {
            note(all, compared.get(i - 1), compared.get(i));
        }
        return sorted(all.values());
    }

    private static void note(Map<Place, Found> all, @Nullable Place earlier, Place later) {
        Found before = earlier == null ? null : all.get(earlier);
        Found behind = all.get(later);
        if (before != null && behind != null) {
            before.isBefore(behind);
        }
    }

    /** A place, and those that stand behind it: one, as a rule, and there may be millions of places. */
    private static final class Found {
        final Place place;

        /** How often others are before it that have not been sorted. */
        int missing;

        private @Nullable Found behind;
        private @Nullable List<Found> furtherBehind;

        Found(Place place) {
            this.place = place;
        }

        /** May be noted twice. */
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

    /**
     * The places that each one waits for and stands directly behind; in each order the last ones in conflict with it.
     *
     * @param mostWaiting how many of those that wait in an order are looked at; a place that this does not reach in
     *     each of its orders is left out
     */
    public Map<Place, Set<Place>> nearest(int mostWaiting) {
        Map<Place, Set<Place>> nearest = new HashMap<>();
        Map<Place, Integer> unreached = new HashMap<>();
        orders.forEachOrder(mostWaiting, order -> {
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
                ofPlace.addAll(order.bin.nearestBarriers(place));
            };
            order.forEach(look, mostWaiting);
        });
        nearest.keySet().removeIf(place -> !Integer.valueOf(0).equals(unreached.get(place)));
        return nearest;
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

    /** The places in an order: those that hold it, then those that wait, first come, first served. */
    public List<Place> placesIn(Order order) {
        return orders.under(order.bin, () -> {
            List<Place> places = new ArrayList<>();
            order.forEach(step -> places.add(step.place()));
            return places;
        });
    }

    /**
     * The first place in an order that meets a condition; null if none does. The condition is checked under the bin.
     */
    @Nullable
    public Place first(Order order, Predicate<? super Place> condition) {
        return orders.under(order.bin, () -> order.first(condition));
    }

    /** The place that was submitted last, if it stands in the order still; null if none stands there. */
    @Nullable
    public Place lastPlace(Order order) {
        return orders.under(order.bin, order::lastPlace);
    }

    /** The places that hold an order, first come, first served. */
    public List<Place> holders(Order order) {
        return orders.under(order.bin, () -> {
            List<Place> holders = new ArrayList<>();
            order.forEachHolder(step -> holders.add(step.place()));
            return holders;
        });
    }

    /** The places that wait for one which holds its orders: behind it in one of them, and in conflict with it. */
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
    public Set<Place> barriers() {
        Set<Place> barriers = new LinkedHashSet<>();
        orders.forEachBin(bin -> bin.forEachBarrier(barriers::add));
        return barriers;
    }

    /** The places with an attempt, or a thread: in an output, not only those that hold it. */
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
