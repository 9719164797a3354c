package io.orderedexecutor;

import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.striped.Stripe;
import io.orderedexecutor.engine.striped.StripeBins;
import io.orderedexecutor.engine.striped.StripedEngine;
import org.jspecify.annotations.Nullable;

/** A table of stripes that nobody serves, all of them in one bin. */
public final class FewStripes extends StripeBins {
    private static final StripedEngine ENGINE =
            StripedExecutor.builder().capacity(1).executor(step -> {}).build().engine();

    public static StripedEngine engine() {
        return ENGINE;
    }

    public static Stripe stripe(Object key) {
        return new Stripe(ENGINE, key, 0, new Link(null));
    }

    /** Adds a stripe as a submitter does; false if none can be added any more. */
    public boolean addStripe(Stripe stripe) {
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
