/** Executors that run conflicting tasks in order and everything else in parallel. */
module io.orderedexecutor {
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;

    exports io.orderedexecutor;
    exports io.orderedexecutor.stats;
}
