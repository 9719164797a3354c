/**
 * Executors that run tasks of the same key in order, and tasks of different keys in parallel.
 *
 * <pre>{@code
 * try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
 *     executor.execute("alice", () -> book("order 1"));
 *     executor.execute("alice", () -> book("order 2")); // after order 1
 *     executor.execute("bob", () -> book("order 3")); // concurrently
 * }
 * }</pre>
 *
 * <table>
 * <caption>Which executor for which need</caption>
 * <thead>
 * <tr><th scope="col">You have</th><th scope="col">Use</th></tr>
 * </thead>
 * <tbody>
 * <tr><th scope="row">tasks that each belong to one key: events of an account, messages of a session</th>
 *     <td>{@link io.orderedexecutor.StripedExecutor}</td></tr>
 * <tr><th scope="row">tasks that belong to several keys at once, or only read them: transfers, statements</th>
 *     <td>{@link io.orderedexecutor.GroupedExecutor}</td></tr>
 * <tr><th scope="row">independent work whose results must keep their order: frames of a video, rows of an export</th>
 *     <td>{@link io.orderedexecutor.OrderedOutputExecutor}</td></tr>
 * <tr><th scope="row">the same, on threads of your own</th>
 *     <td>{@link io.orderedexecutor.TicketSequencer}</td></tr>
 * <tr><th scope="row">one sequence of tasks, on an executor that you have</th>
 *     <td>{@link io.orderedexecutor.SerialExecutor}</td></tr>
 * </tbody>
 * </table>
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
    // the timeline, for executors that are built with it
    requires static jdk.jfr;

    exports io.orderedexecutor;
    exports io.orderedexecutor.stats;

    // where the test kit takes clock, timers and threads over; not API
    exports io.orderedexecutor.engine.pool to
            io.orderedexecutor.test;
}
