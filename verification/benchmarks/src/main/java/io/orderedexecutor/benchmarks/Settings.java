package io.orderedexecutor.benchmarks;

import java.util.List;

/**
 * What all subjects of a table have in common.
 *
 * @param threads how many threads each subject gets
 * @param producers how many threads submit the tasks of a throughput row; 0 if that is up to the row
 * @param window how many tasks may be submitted and not run yet; a producer that is ahead of it waits
 * @param batch how many tasks one sample of a throughput row is
 * @param sliceMillis how long one sample of a row of waits takes
 * @param queued how many tasks are queued when their memory is measured
 * @param stripes how many stripes are opened when their memory is measured
 * @param stallMillis after how long without progress tasks are lost
 */
record Settings(
        int threads, int producers, int window, int batch, int sliceMillis, int queued, int stripes, int stallMillis) {

    Settings withBatch(int otherBatch) {
        return new Settings(threads, producers, window, otherBatch, sliceMillis, queued, stripes, stallMillis);
    }

    Settings withWindow(int otherWindow) {
        return new Settings(threads, producers, otherWindow, batch, sliceMillis, queued, stripes, stallMillis);
    }

    /** As an argument of a JVM. */
    String format() {
        return "%d,%d,%d,%d,%d,%d,%d,%d"
                .formatted(threads, producers, window, batch, sliceMillis, queued, stripes, stallMillis);
    }

    static Settings parse(String argument) {
        List<Integer> numbers =
                List.of(argument.split(",", -1)).stream().map(Integer::valueOf).toList();
        return new Settings(
                numbers.get(0),
                numbers.get(1),
                numbers.get(2),
                numbers.get(3),
                numbers.get(4),
                numbers.get(5),
                numbers.get(6),
                numbers.get(7));
    }
}
