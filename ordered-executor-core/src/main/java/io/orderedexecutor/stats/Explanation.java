package io.orderedexecutor.stats;

import io.orderedexecutor.ExecutorInspection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why a task waits: one chain of causes, from the task to what holds it up in the end, across executors. See
 * {@link ExecutorInspection#explain explain} and {@link ExecutorInspection#explainTask explainTask}. Where a task waits
 * for several others, the chain follows one of them.
 *
 * <p>It is a picture of one moment, or nearly: the chain is followed while tasks go on, and holds none of them up.
 *
 * @param place what the task was submitted to
 * @param task what was submitted; null if nothing waits there, or it is not known
 * @param waited time since the submission of a task that waits for its first or another attempt; null if tasks are not
 *     timed, or if the task runs
 * @param causes the first cause is what the task itself waits for, and each further cause is the reason for the
 *     previous one; the last cause is {@link Idle} if nothing holds the task up
 * @param omitted how many causes in the middle, between tasks that are queued one behind the other, are left out
 */
public record Explanation(
        Place place, @Nullable Object task, @Nullable Duration waited, List<Cause> causes, int omitted) {

    /**
     * Checks and copies the list.
     *
     * @param place what the task was submitted to
     * @param task what was submitted
     * @param waited time since the submission
     * @param causes from the task to what holds it up
     * @param omitted how many are left out
     * @throws IllegalArgumentException if there is no cause
     */
    public Explanation {
        causes = List.copyOf(causes);
        if (causes.isEmpty()) {
            throw new IllegalArgumentException("causes is empty; it is [Idle] if nothing holds the task up");
        }
    }

    /**
     * Returns the last cause, which all others lead to.
     *
     * @return what holds the task up in the end
     */
    public Cause root() {
        return causes.get(causes.size() - 1);
    }

    /**
     * Returns the explanation as a sentence.
     *
     * @param shown formats the values of the application. Its first argument says what that is: the
     *     {@linkplain Place#type() type} of a place for its key, {@code task} for a submitted object, {@code failure}
     *     for an exception. It must not return null; its exceptions are passed on
     * @return text for people, on one line unless {@code shown} returns several lines
     */
    public String text(BiFunction<String, Object, String> shown) {
        return new ExplanationText(this, shown).text();
    }

    /** Returns the explanation as a sentence, with keys, tasks and failures as their {@code toString} gives them. */
    @Override
    public String toString() {
        return text(ExplanationText.UNMASKED);
    }

    /**
     * The executor and the key that a task was submitted to.
     *
     * @param executor the name of the executor
     * @param type the word for {@code key}: "key", or "keys" for {@link io.orderedexecutor.Groups}, or "output"
     * @param key the stripe, the group, the {@link io.orderedexecutor.Groups}, or the name of the output; null for the
     *     executor as a whole, or a task without a key
     */
    public record Place(
            String executor, String type, @Nullable Object key) {}

    /** One reason. */
    public sealed interface Cause {

        /**
         * Returns the place of this cause.
         *
         * @return the executor and the key that it concerns
         */
        Place place();

        /**
         * Returns the one word for this kind of cause.
         *
         * @return the verdict in small letters, with hyphens
         */
        default String verdict() {
            String name = getClass().getSimpleName();
            return Stream.of(name.split("(?=[A-Z])"))
                    .map(word -> word.toLowerCase(Locale.ROOT))
                    .reduce((a, b) -> a + "-" + b)
                    .orElse(name);
        }
    }

    /**
     * A task runs, or is over, and its future is being completed: dependent actions may run.
     *
     * @param place what it was submitted to
     * @param task what was submitted; null if it is not known, as tasks are not timed, or has not run
     * @param age time since it started; null if tasks are not timed, or it has not run
     * @param thread the thread that runs it, or completes its future
     * @param at the line of the application that the thread is at; null unless stacks were asked for
     */
    public record Running(
            Place place,
            @Nullable Object task,
            @Nullable Duration age,
            Thread thread,
            @Nullable StackTraceElement at) implements Cause {}

    /**
     * A task has returned a stage that is not complete.
     *
     * @param place what it was submitted to
     * @param task what was submitted; null if it is not known, as tasks are not timed
     * @param age time since it started; null if tasks are not timed
     */
    public record Incomplete(
            Place place, @Nullable Object task, @Nullable Duration age) implements Cause {}

    /**
     * A task is queued, and waits in turn.
     *
     * @param place what it was submitted to
     * @param task what was submitted; null if it is not known
     * @param waited time since it was submitted; null if tasks are not timed
     */
    public record Queued(
            Place place, @Nullable Object task, @Nullable Duration waited) implements Cause {}

    /**
     * The thread of the previous cause waits for the future of a task.
     *
     * @param place what that task was submitted to
     * @param task what was submitted; null if it is not known
     */
    public record AwaitingFuture(Place place, @Nullable Object task) implements Cause {}

    /**
     * The thread of the previous cause submits a task for which there is no room.
     *
     * @param place the executor that is full, or its key
     * @param capacity how many tasks may be queued there
     */
    public record NoRoom(Place place, int capacity) implements Cause {}

    /**
     * The thread of the previous cause submits a piece to an output whose window is full.
     *
     * @param place the output
     * @param window how many of its pieces may be open
     */
    public record WindowFull(Place place, int window) implements Cause {}

    /**
     * The thread of the previous cause waits for a lock.
     *
     * @param place where the task of that thread was submitted to
     * @param lock the class of the lock, and its identity
     * @param owner the name of the thread that holds it; null if no thread owns it, as with a semaphore or latch
     */
    public record AwaitingLock(
            Place place, String lock, @Nullable String owner) implements Cause {}

    /**
     * A task could start, but waits for a thread.
     *
     * @param place what it was submitted to
     * @param threads how many threads of its own the executor has at most; null if it has none of its own
     * @param running the running tasks, the longest-running first
     */
    public record NoThread(Place place, @Nullable Integer threads, List<RunningTask> running) implements Cause {

        /**
         * Copies the list.
         *
         * @param place what the task was submitted to
         * @param threads the executor's own
         * @param running the running tasks
         */
        public NoThread {
            running = List.copyOf(running);
        }
    }

    /**
     * The executor or the key is paused.
     *
     * @param place the key; without one, the executor as a whole
     */
    public record Paused(Place place) implements Cause {}

    /**
     * A task has failed, and waits to be resumed or skipped.
     *
     * @param place what it was submitted to
     * @param task what was submitted; for a batch, its items as a {@link List}; not null in the explanations of an
     *     executor
     * @param failure its exception
     */
    public record Parked(Place place, @Nullable Object task, Throwable failure) implements Cause {}

    /**
     * A task has failed, and waits for its next attempt.
     *
     * @param place what it was submitted to
     * @param task what was submitted; null if it is not known
     * @param failure its last exception; null if it is not known
     * @param remaining time until the next attempt, zero if it is due; null if it is not known
     */
    public record RetryDelay(
            Place place,
            @Nullable Object task,
            @Nullable Throwable failure,
            @Nullable Duration remaining) implements Cause {}

    /**
     * A place is reserved for a task that has not come.
     *
     * @param place what was reserved
     * @param owner the thread that has reserved it; null if the place has just ended
     */
    public record Reserved(Place place, @Nullable Thread owner) implements Cause {}

    /**
     * A batch waits for more items.
     *
     * @param place what its items were submitted to
     * @param remaining time until it runs if no item comes; zero if it is due
     */
    public record Lingering(Place place, Duration remaining) implements Cause {}

    /**
     * As many pieces of an output are being worked on as its concurrency allows.
     *
     * @param place the output
     */
    public record ConcurrencyReached(Place place) implements Cause {}

    /**
     * Nothing holds it up, or there is no task.
     *
     * @param place the requested place
     */
    public record Idle(Place place) implements Cause {}
}
