package io.orderedexecutor;

/**
 * A chain that may have something before it when it is opened, and then waits for that instead of being handed over.
 * Until then its holder is none of those of a {@link ServedQueue}:
 *
 * <pre>
 *   WAITING ──▶ READY    nothing is before it any more; whoever sees to that hands it over
 *   WAITING ──▶ Thread   all of it was taken out: by a cancellation, a shutdown, or to make room; that thread lets go at once what waits
 *                        for it
 * </pre>
 */
abstract class WaitingChain extends Chain {

    WaitingChain(Host host, Runnable first) {
        super(host, first);
    }

    /** Whether nothing waits here. */
    abstract boolean isTakenOut();

    /** Makes sure that nothing will come behind what was taken out while this chain waits; false if something has. */
    boolean closeWhileWaiting() {
        return true;
    }

    @Override
    final void onTakenOut(Link link) {
        super.onTakenOut(link);
        endIfTakenOut();
    }

    @Override
    final void stop() {
        super.stop();
        endIfTakenOut();
    }

    /** Lets go at once what waits for this chain, if all of it was taken out. */
    final void endIfTakenOut() {
        if (isTakenOut()) {
            Suspension suspension = suspension();
            if (suspension != null) {
                passOnFrom(suspension);
            }
            if (isHeldBy(WAITING) && closeWhileWaiting()) {
                passOnFrom(WAITING);
            }
            passOn();
        }
    }
}
