/**
 * Not API. Order by one key.
 *
 * <p>A {@link Stripe} is the strand of a key that has tasks. {@link StripedEngine} finds it in the {@link StripeTable},
 * whose segments, the {@link StripeBins}, can be closed while submitters search them without a lock. What does more
 * than queue comes in by {@link Arrivals}.
 *
 * <p>Uses {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.striped;

import org.jspecify.annotations.NullMarked;
