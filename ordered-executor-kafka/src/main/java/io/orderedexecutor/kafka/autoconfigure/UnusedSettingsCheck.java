package io.orderedexecutor.kafka.autoconfigure;

import org.springframework.context.SmartLifecycle;

/** Refuses settings for listeners that do not exist. Runs when all listeners are known, and before any is started. */
final class UnusedSettingsCheck implements SmartLifecycle {
    private final ListenerProperties properties;

    UnusedSettingsCheck(ListenerProperties properties) {
        this.properties = properties;
    }

    @Override
    public void start() {
        properties.checkAllAreUsed();
    }

    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
        return false;
    }

    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
