/** Executors that run conflicting tasks in order and everything else in parallel. */
@SuppressWarnings("module") // the test kit is compiled later
module io.orderedexecutor {
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;

    exports io.orderedexecutor;
    exports io.orderedexecutor.stats;

    // where the test kit takes clock, timers and threads over; not API
    exports io.orderedexecutor.engine.pool to
            io.orderedexecutor.test;
}
