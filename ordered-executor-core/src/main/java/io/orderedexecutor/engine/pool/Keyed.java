package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;

/** Work that names its key, for tests that choose which work runs next. */
public interface Keyed {

    /** The stripe, groups or output; null if that is not known. */
    @Nullable
    Object key();
}
