/**
 * Measures the executors beside the unordered limit, a classic baseline and their peers. {@code Main} prints all of it
 * as Markdown; {@code verification/benchmarks/README.md} has the method.
 *
 * <ul>
 *   <li><b>What is measured.</b> {@code Subject}: one executor behind a {@code KeyedExecutor}; {@code Subjects} lists
 *       them, the other classes with {@code Subjects} in their name make them. {@code GlobalLockExecutor} is the
 *       baseline.
 *   <li><b>How the core is called.</b> {@code Core} is what the benchmarks need of it; {@code TodaysCore} has it from
 *       this build, {@code EarlierCore} from the builds that {@code --before} measures.
 *   <li><b>What they run.</b> {@code Task}, in its place in a {@code Lane} (one producer's tasks of one key), which
 *       checks the order; the {@code Ledger} checks that all ran, once.
 *   <li><b>What is asked.</b> {@code Row}: a line of the tables; it makes an {@code Experiment}:
 *       {@code ThroughputExperiment}, {@code LatencyExperiment} and others, each of which returns {@code Sample}s.
 *   <li><b>What is to be reached.</b> {@code Bar} lists the {@code Figure}s that are compared, each with its
 *       {@code Rule}; {@code Scaling} counts what cannot be timed on few processors.
 *   <li><b>How they take turns.</b> {@code Tournament} gives each subject a JVM, {@code ChildProcess}, in which
 *       {@code Child} waits to be asked for the next sample; {@code Results} keeps the samples, {@code Report} prints
 *       them.
 * </ul>
 */
@NullMarked
package io.orderedexecutor.benchmarks;

import org.jspecify.annotations.NullMarked;
