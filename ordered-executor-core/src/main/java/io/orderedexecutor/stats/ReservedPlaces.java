package io.orderedexecutor.stats;

import java.time.Duration;

/**
 * The places of an executor that are reserved for tasks still to come.
 *
 * @param count how many there are
 * @param oldestReservedAge time since the oldest of them was reserved; zero if there is none
 */
public record ReservedPlaces(long count, Duration oldestReservedAge) {}
