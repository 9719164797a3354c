package io.orderedexecutor.test;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Takes ordered executors over before JUnit runs the first test: also those of a Spring context that another test class
 * builds and that is then taken from the cache can be part of a {@link SimulationTest}.
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
