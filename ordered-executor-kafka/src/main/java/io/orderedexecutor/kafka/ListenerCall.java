package io.orderedexecutor.kafka;

import io.micrometer.observation.Observation;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of a listener, which may be asynchronous. Spring's adapter acknowledges failures as well, so an
 * acknowledgment does not show the result. But the last action of the adapter, in every case, is to stop the
 * observation of the call. So the call has ended when it has thrown, or when it has returned <em>and</em> its
 * observation was stopped. These two may happen in either order, on one thread or two. Other listeners, and adapters
 * that do not call a method, such as that of Spring Integration, do not ask for the observation: their calls have ended
 * when they return.
 */
final class ListenerCall {
    private static final int RETURNED = 1;
    private static final int STOPPED = 2;
    private static final int ENDED = RETURNED | STOPPED;

    private static final AtomicIntegerFieldUpdater<ListenerCall> PARTS =
            AtomicIntegerFieldUpdater.newUpdater(ListenerCall.class, "parts");

    /**
     * The parts of the end that have happened. The thread that adds the last part ends the call, once. Written with
     * {@link #PARTS}.
     */
    @SuppressWarnings("UnusedVariable")
    private volatile int parts;

    private final Observation observation;
    private final Consumer<@Nullable Throwable> end;

    /** Whether an adapter has asked for the observation, and so will stop it. Used by the listener's thread. */
    private boolean isWatched;

    /** The failure of an asynchronous call. Written before the part STOPPED, by the thread that adds it. */
    private @Nullable Throwable failure;

    /**
     * Begins a call.
     *
     * @param observation the real observation of the call
     * @param end called once, with the failure or null, on the thread that ends the call
     */
    ListenerCall(Observation observation, Consumer<@Nullable Throwable> end) {
        this.observation = observation;
        this.end = end;
    }

    Observation observation() {
        return observation;
    }

    /** Records that an adapter has asked for the observation. Called by the listener's thread, before it returns. */
    void watched() {
        isWatched = true;
    }

    /** Records that the listener has returned. Called by the listener's thread. */
    void returned() {
        add(isWatched ? RETURNED : ENDED);
    }

    /** Ends the call, since the listener has thrown. Called by the listener's thread. */
    void thrown(Throwable thrown) {
        failure = thrown;
        add(ENDED);
    }

    /**
     * Stores the failure of an asynchronous call. Called by the thread that completes the call, before it stops the
     * observation.
     */
    void failedLater(Throwable failure) {
        this.failure = failure;
    }

    /** Records that the observation was stopped. Called by the thread that stops it. */
    void stopped() {
        add(STOPPED);
    }

    private void add(int part) {
        int before = PARTS.getAndAccumulate(this, part, (now, added) -> now | added);
        if (before != ENDED && (before | part) == ENDED) {
            end.accept(failure);
        }
    }
}
