package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.ReservedPlaces;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The places of an executor that are reserved, and neither used nor given back. An executor in which nothing is
 * reserved asks its threads and waiters for nothing but whether that is so.
 *
 * <p>Thread-safe.
 */
public final class OpenPlaces {

    /** Those of an executor in which no place can be reserved. */
    static final OpenPlaces NONE = new OpenPlaces();

    /**
     * What is reserved in a queue, or in several.
     *
     * @param count how many places
     * @param age since the oldest of them was reserved; zero if there is none
     */
    public record Reserved(long count, Duration age) {
        /** Nothing is. */
        public static final Reserved NONE = new Reserved(0, Duration.ZERO);

        public Reserved plus(Reserved other) {
            return new Reserved(count + other.count, age.compareTo(other.age) < 0 ? other.age : age);
        }
    }

    private final Set<ReservedPlace> places = ConcurrentHashMap.newKeySet();

    /** For the thread that reserves it. */
    AtomicInteger add(ReservedPlace place) {
        places.add(place);
        return ReservedPlaces.begin();
    }

    /** For the thread that has ended it, once. */
    void remove(ReservedPlace place, AtomicInteger ofOwner) {
        places.remove(place);
        ReservedPlaces.end(ofOwner);
    }

    /** Those of all queues; one that is being reserved and has found no room yet is none. */
    public Reserved all(long now) {
        return byQueue(now).values().stream().reduce(Reserved.NONE, Reserved::plus);
    }

    /** Those of each queue that has any. */
    public Map<LinkQueue, Reserved> byQueue(long now) {
        if (places.isEmpty()) {
            return Map.of();
        }
        Map<LinkQueue, Reserved> reserved = new HashMap<>();
        for (ReservedPlace place : places) {
            LinkQueue queue = place.queue();
            if (queue != null) {
                Duration age = Duration.ofNanos(Math.max(0, now - place.reservedAt()));
                reserved.merge(queue, new Reserved(1, age), Reserved::plus);
            }
        }
        return reserved;
    }

    /** Whether there is one in this queue. */
    public boolean areIn(LinkQueue queue) {
        return places.stream().anyMatch(place -> place.queue() == queue);
    }

    /**
     * The threads that have reserved places which hold up the task of a link.
     *
     * @param queue where the link is
     * @param ahead the queues that have to end before it can
     */
    Set<Thread> ownersAhead(LinkQueue queue, Link link, Collection<? extends LinkQueue> ahead) {
        if (places.isEmpty()) {
            return Set.of();
        }
        Set<Thread> owners = new HashSet<>();
        for (ReservedPlace place : places) {
            LinkQueue reserved = place.queue();
            Link reservedLink = place.link();
            Thread owner = place.owner();
            if (reserved != null && reservedLink != null && owner != null) {
                boolean isAhead =
                        reserved == queue ? reservedLink.position - link.position < 0 : ahead.contains(reserved);
                if (isAhead) {
                    owners.add(owner);
                }
            }
        }
        return owners;
    }
}
