package io.orderedexecutor.engine.strand;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands in a link for a task that comes later. It is counted, limited and moved as the tasks that wait are; but the
 * server that comes to it leaves the strand to its {@linkplain #suspension() suspension}, and no thread claims it. One
 * word says how it ends:
 *
 * <pre>
 *   OPEN ──▶ USED       the task comes, and is put into the link in its place
 *   OPEN ──▶ RETURNED   it is given back
 *   OPEN ──▶ EXPIRED    by the timer of its lease, which begins when its turn comes
 *   OPEN ──▶ DISCARDED  by a shutdownNow, or by a shutdown that cancels what is behind a parked task
 * </pre>
 *
 * <p>The thread that takes it out of OPEN, by compare-and-set, is the only one that may touch the link afterwards: it
 * replaces this by the task, or takes it out. So a task that was accepted cannot be overtaken by the end of the place.
 * What the reservation answers:
 *
 * <pre>
 *   state      a task                       close
 *   OPEN       accepted                     given back
 *   USED       IllegalStateException        no effect
 *   RETURNED   IllegalStateException        no effect
 *   EXPIRED    IllegalStateException        no effect
 *   DISCARDED  RejectedExecutionException   no effect
 * </pre>
 */
public final class ReservedPlace implements Runnable {

    /** How far it has come. */
    public enum State {
        OPEN,
        USED,
        RETURNED,
        EXPIRED,
        DISCARDED
    }

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ReservedPlace.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Taken out of OPEN by compare-and-set, once. */
    private volatile State state = State.OPEN;

    /**
     * What the strand waits for when the turn of this place has come. The same each time: to go on without need does no
     * harm, since the next server leaves the strand to it again.
     */
    private final Suspension suspension = new Suspension(Suspension.Reason.RESERVED, null);

    private final OpenPlaces places;

    /** Called by the holder of the strand when the turn of this place comes for the first time. Used by holders. */
    private @Nullable Runnable onTurn;

    /** Counts the open places of the thread that has reserved this one. */
    private final AtomicInteger ofOwner;

    /** The thread that has reserved this place; null once it has ended. Volatile, since any thread may look for it. */
    private volatile @Nullable Thread owner = Thread.currentThread();

    /** When it was reserved, as {@link io.orderedexecutor.engine.pool.Platform#nanoTime} has it. */
    private final long reservedAt;

    /**
     * Where this place is, until it has ended. Written by the submitter before the link is published. Volatile, since
     * those who look at open places may see this one before.
     */
    private volatile @Nullable LinkQueue queue;

    private volatile @Nullable Link link;

    /**
     * Makes a place of the current thread.
     *
     * @param reservedAt now, as the platform has it
     * @param onTurn called when its turn comes and its task has not come, by the thread that holds the strand; must not
     *     throw
     */
    ReservedPlace(OpenPlaces places, long reservedAt, Runnable onTurn) {
        this.places = places;
        this.reservedAt = reservedAt;
        this.onTurn = onTurn;
        this.ofOwner = places.add(this);
    }

    State state() {
        return state;
    }

    /** Notes where this place is; called again if that queue ends before it takes the link. */
    void waitIn(LinkQueue queue, Link link) {
        this.link = link;
        this.queue = queue;
    }

    /**
     * For the submitter, if there was no room for this place: it is in no queue, so to give it back must neither take
     * anything out of one nor give back a permit.
     */
    public void waitNowhere() {
        queue = null;
        link = null;
    }

    @Nullable
    LinkQueue queue() {
        return queue;
    }

    @Nullable
    Link link() {
        return link;
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    long reservedAt() {
        return reservedAt;
    }

    Suspension suspension() {
        return suspension;
    }

    /** For the holder of the strand, before it leaves the strand to the suspension. */
    void beginTurn() {
        Runnable first = onTurn;
        if (first != null) {
            onTurn = null;
            first.run();
        }
    }

    /**
     * Ends this place.
     *
     * @return false if another thread has; else the caller has to see to the link, which this object forgets
     */
    boolean end(State how) {
        if (!STATE.compareAndSet(this, State.OPEN, how)) {
            return false;
        }
        places.remove(this, ofOwner);
        owner = null;
        queue = null;
        link = null;
        return true;
    }

    @Override
    public void run() {
        throw new IllegalStateException("a reserved place is not a task");
    }
}
