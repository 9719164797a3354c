package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/** A table of stripes that nobody serves, all of them in one bin. */
final class FewStripes extends StripeBins {
    private static final StripedEngine ENGINE =
            StripedExecutor.builder().capacity(1).executor(step -> {}).build().engine();

    static StripedEngine engine() {
        return ENGINE;
    }

    static Stripe stripe(Object key) {
        return new Stripe(ENGINE, key, 0, new Link(null));
    }

    /** Adds a stripe as a submitter does; false if none can be added any more. */
    boolean addStripe(Stripe stripe) {
        for (; ; ) {
            @Nullable Object[] searched = bins();
            Object head = head(searched, stripe.hash);
            if (isMoved(head)) {
                awaitRebuild();
            } else if (isClosed()) {
                return false;
            } else if (add(stripe, searched, head)) {
                return true;
            }
        }
    }
}
