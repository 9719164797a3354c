package io.orderedexecutor.benchmarks;

import java.util.List;
import java.util.function.BiPredicate;

/**
 * What is to be measured, and how often.
 *
 * @param rows the rows
 * @param subjects the executors
 * @param choice which of them is measured in which row, of those that a row is for
 * @param histories what runs in a JVM before its executor is measured; each makes a report of its own
 * @param settings what they have in common
 * @param forks how many JVMs each executor gets for each row, one after another
 * @param warmups how many samples of each JVM are thrown away
 * @param rounds how many samples of each JVM count
 * @param longRounds the same at most where a sample takes a second or more
 * @param heap the size of each JVM's heap
 * @param jvmArguments more arguments for each JVM
 */
record Plan(
        List<Row> rows,
        List<Subject> subjects,
        BiPredicate<Row, Subject> choice,
        List<History> histories,
        Settings settings,
        int forks,
        int warmups,
        int rounds,
        int longRounds,
        String heap,
        List<String> jvmArguments) {

    boolean measures(Row row, Subject subject) {
        return row.isFor(subject) && choice.test(row, subject);
    }
}
