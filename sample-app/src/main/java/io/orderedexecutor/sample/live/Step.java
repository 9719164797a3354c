package io.orderedexecutor.sample.live;

import java.util.List;

/**
 * A task of a scene.
 *
 * @param id tells it from all others
 * @param lane the picture of the page that it belongs to
 * @param keys its stripe, or its groups
 * @param number its place among the steps of its key and lane, in the order of their submission
 * @param millis how long it takes
 */
record Step(long id, Lane lane, List<String> keys, int number, int millis, Kind kind) {

    /** The pictures of the page. */
    enum Lane {
        STRIPED,
        /** The same steps through Spring's own {@code @Async}. */
        ASYNC,
        GROUPED,
        OUTPUT,
        /** Messages to sessions with a slow model. */
        BUSY
    }

    enum Kind {
        PLAIN,
        /** Fails when it runs for the first time. */
        FAILING,
        /** Only reads. */
        SHARED
    }

    /** Its only key. */
    public String key() {
        return keys.get(0);
    }
}
