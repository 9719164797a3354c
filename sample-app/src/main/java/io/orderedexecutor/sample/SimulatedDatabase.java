package io.orderedexecutor.sample;

import org.springframework.stereotype.Component;

/**
 * Stands for the database, or another slow system, of a real application. Writing an amount takes a millisecond for
 * each unit, so a small amount can overtake a large one.
 */
@Component
public class SimulatedDatabase {
    /** The largest amount that can be written. It takes a second. */
    public static final int MAX_AMOUNT = 1000;

    /**
     * Writes an amount.
     *
     * @param amount from 1 to {@value #MAX_AMOUNT}
     * @throws IllegalStateException if the thread is interrupted; nothing is written then
     */
    public void write(int amount) {
        try {
            Thread.sleep(amount);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while writing", e);
        }
    }
}
