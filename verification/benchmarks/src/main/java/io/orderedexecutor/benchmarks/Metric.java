package io.orderedexecutor.benchmarks;

/** What an experiment measures. */
enum Metric {
    TASKS_PER_SECOND,
    /** Allocated by all threads for each task, the task itself not counted. */
    BYTES_ALLOCATED,
    /** Nanoseconds of processors that all threads of the JVM together use for each task. */
    PROCESSOR_NANOS,
    /** Nanoseconds that a submission takes while few others are queued. */
    SUBMISSION_BEHIND_FEW,
    SUBMISSION_BEHIND_MANY,
    /** Nanoseconds from submission to start that half of the tasks did not exceed. */
    WAIT_P50,
    WAIT_P99,
    WAIT_P999,
    WAIT_MAX,
    /** Calls of {@code execute} of a million. */
    CALLS_OVER_1_MS,
    CALLS_OVER_20_MS,
    /** The same beside scrapes, and before them. */
    CALLS_OVER_5_MS,
    CALLS_OVER_5_MS_QUIET,
    /** Nanoseconds of the longest call of {@code execute} while barriers come and go. */
    LONGEST_CALL,
    LONGEST_CALL_QUIET,
    SCRAPE_NANOS,
    BYTES_PER_QUEUED_TASK,
    BYTES_PER_OPEN_STRIPE,
    /** Without its task. */
    BYTES_PER_OPEN_KEY,
    BYTES_PER_IDLE_STRIPE,
    BYTES_OF_EMPTY_EXECUTOR
}
