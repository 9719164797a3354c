/**
 * Executors that run tasks of the same key in order, and tasks of different keys in parallel.
 *
 * <p>Executors are made by builders, are safe for use by any number of threads, and are closed like an
 * {@link java.util.concurrent.ExecutorService}. What has been done before a task is submitted <i>happens-before</i> the
 * task runs, and what a task does happens-before every later task that it conflicts with, and before its future is
 * complete. Arguments and results are never null unless a method says so.
 */
@SuppressWarnings("module") // the test kit is compiled later
module io.orderedexecutor {
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;
    // the stacks of an explanation, if they are asked for
    requires static java.management;

    exports io.orderedexecutor;
    exports io.orderedexecutor.stats;

    // where the test kit takes clock, timers and threads over; not API
    exports io.orderedexecutor.engine.pool to
            io.orderedexecutor.test;
}
