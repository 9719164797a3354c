package io.orderedexecutor;

import java.util.concurrent.RejectedExecutionException;

/**
 * A place in the order of a {@link TicketSequencer}, to be used once: its output runs after those of all tickets that
 * were issued before, or it is skipped. Any thread may use it.
 *
 * <p>A ticket that is neither run nor skipped holds up all that were issued after it. In a try-with-resources statement
 * it cannot be forgotten: {@link #close()} skips it if it was not used.
 *
 * <pre>{@code
 * try (Ticket ticket = sequencer.next()) {
 *     byte[] frame = encode(picture); // in parallel
 *     ticket.run(() -> write(frame)); // in order
 * }
 * }</pre>
 *
 * <p>All methods may be called from any thread. Memory consistency effects: actions before {@link #run} or
 * {@link #skip} <i>happen-before</i> the outputs of later tickets.
 *
 * <p>Tickets come from a {@link TicketSequencer}. Applications do not implement this interface, except in tests of
 * their own; methods may be added.
 */
public interface Ticket extends AutoCloseable {

    /**
     * Returns the place of this ticket in the order of its sequencer.
     *
     * @return how many tickets were issued before; or the number that it was issued for, if they are
     *     {@linkplain TicketSequencerBuilder#numberedFrom numbered from outside}
     */
    long position();

    /**
     * Runs {@code output} after the outputs of all earlier tickets: on this thread before the method returns, if it is
     * the ticket's turn, or else later, on the thread that completes the ticket before it. The thread that runs an
     * output also runs those that were left behind it, for a bounded {@linkplain TicketSequencerBuilder#turn turn}.
     * What the output throws goes to the sequencer's {@linkplain TicketSequencerBuilder#onFailure handler}, not to the
     * caller.
     *
     * @param output what to do in order
     * @throws IllegalStateException if this ticket was used before, or has expired; then {@code output} does not run,
     *     and no other ticket is affected
     * @throws RejectedExecutionException if the sequencer was stopped; then {@code output} does not run
     * @throws NullPointerException if {@code output} is null
     */
    void run(Runnable output);

    /**
     * Gives this ticket up: those behind it need not wait for it.
     *
     * @throws IllegalStateException if this ticket was used before, or has expired; no other ticket is affected
     */
    void skip();

    /** Skips this ticket if it was neither run nor skipped; else has no effect. */
    @Override
    void close();
}
