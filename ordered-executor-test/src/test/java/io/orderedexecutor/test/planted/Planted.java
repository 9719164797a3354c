package io.orderedexecutor.test.planted;

import io.orderedexecutor.test.Simulation;

/** A small application with a mistake, or without it. */
interface Planted {

    /**
     * Uses the application, and checks what comes of it.
     *
     * @param correct whether it is the twin without the mistake
     */
    void run(Simulation simulation, boolean correct) throws Exception;
}
