package io.orderedexecutor.spring.actuate;

/** An executor of which each key can be paused, resumed and skipped by itself. */
interface SteersKeys {

    void pauseKey(Object key);

    /** Returns false if the key is neither paused nor parked. */
    boolean resumeKey(Object key);

    /** Returns false if the key is not parked. */
    boolean skipKey(Object key);
}
