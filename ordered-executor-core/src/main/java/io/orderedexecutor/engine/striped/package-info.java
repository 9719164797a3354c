/**
 * Not API. Order by one key.
 *
 * <p>A {@link Stripe} is the strand of a key that has tasks. {@link StripedEngine} finds it in the {@link StripeTable},
 * whose {@link StripeSegment}s can be closed while submitters search them without a lock ({@link StripeBins}).
 *
 * <p>Uses {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.striped;

import org.jspecify.annotations.NullMarked;
