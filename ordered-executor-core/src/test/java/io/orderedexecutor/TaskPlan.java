package io.orderedexecutor;

import java.util.SplittableRandom;

/**
 * All that a watched task is going to do, decided before it is submitted.
 *
 * @param failures how many of its first attempts fail
 * @param stage how an asynchronous attempt goes on
 * @param intrusion what somebody else does to its future
 * @param intrusionMicros how long after its submission
 * @param seed for what it submits
 */
record TaskPlan(
        SubmissionWay way,
        int failures,
        TaskFault.Kind fault,
        Deed deed,
        Stage stage,
        Intrusion intrusion,
        int intrusionMicros,
        long seed) {

    /** What a task does besides ending. */
    enum Deed {
        NOTHING,
        LINGER,
        INTERRUPT_ITSELF,
        SUBMIT_TO_OWN_STRIPE,
        SUBMIT_TO_OTHER_STRIPE,
        WAIT_FOR_ITSELF,
        INTRUDE_ON_ITSELF,
        LOOK_AND_CONTROL
    }

    enum Stage {
        COMPLETE,
        COMPLETED_BY_ANOTHER_THREAD,
        NEVER_COMPLETED,
        MISSING,
        THROWN
    }

    /** What is done to a future from outside. */
    enum Intrusion {
        NONE,
        CANCEL,
        CANCEL_AND_INTERRUPT,
        COMPLETE,
        FAIL,
        COMPLETE_ASYNC;

        boolean cancels() {
            return this == CANCEL || this == CANCEL_AND_INTERRUPT;
        }

        static Intrusion any(SplittableRandom random) {
            return values()[1 + random.nextInt(values().length - 1)];
        }
    }

    static TaskPlan any(SplittableRandom random) {
        SubmissionWay way = random.nextInt(3) == 0 ? SubmissionWay.SUBMIT_ASYNC : pick(SubmissionWay.values(), random);
        Stage stage = pick(Stage.values(), random);
        boolean intruded = stage == Stage.NEVER_COMPLETED || random.nextInt(4) == 0;
        return new TaskPlan(
                way,
                random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 0,
                pick(TaskFault.Kind.values(), random),
                random.nextInt(5) < 3 ? Deed.NOTHING : pick(Deed.values(), random),
                stage,
                intruded ? Intrusion.any(random) : Intrusion.NONE,
                random.nextBoolean() ? 0 : random.nextInt(1500),
                random.nextLong());
    }

    /** For a task that ends at once, so that what submits it does not breed without end. */
    static TaskPlan plain(SubmissionWay way, long seed) {
        return new TaskPlan(way, 0, TaskFault.Kind.UNCHECKED, Deed.NOTHING, Stage.COMPLETE, Intrusion.NONE, 0, seed);
    }

    /** For a task that holds its stripe until it is cancelled by somebody else. */
    static TaskPlan holding() {
        return new TaskPlan(
                SubmissionWay.SUBMIT_ASYNC,
                0,
                TaskFault.Kind.UNCHECKED,
                Deed.NOTHING,
                Stage.NEVER_COMPLETED,
                Intrusion.NONE,
                0,
                0);
    }

    private static <T> T pick(T[] values, SplittableRandom random) {
        return values[random.nextInt(values.length)];
    }
}
