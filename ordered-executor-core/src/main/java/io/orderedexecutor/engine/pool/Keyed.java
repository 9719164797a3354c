package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;

/** Work that says what it belongs to, for tests that choose what runs next. */
public interface Keyed {

    /** The stripe, groups or output; null if that is not known. */
    @Nullable
    Object key();
}
