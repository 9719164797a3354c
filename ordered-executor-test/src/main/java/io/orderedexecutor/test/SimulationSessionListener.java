package io.orderedexecutor.test;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Prepares this module before JUnit runs the first test, so that all ordered executors can be part of a
 * {@link SimulationTest}, including those of a cached Spring context from an earlier test class.
 *
 * <p>JUnit finds this class by itself.
 */
public final class SimulationSessionListener implements LauncherSessionListener {

    /** For JUnit. */
    public SimulationSessionListener() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        TakeOver.begin();
    }
}
