package io.orderedexecutor.test;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.engine.pool.Keyed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An executor that a test steps by hand: it holds all tasks until the test calls {@link #runNext()} or
 * {@link #runAll()}. So a test knows at each assertion which tasks have run, without waiting and without a race.
 *
 * <pre>{@code
 * SteppedExecutor stepped = new SteppedExecutor();
 * StripedExecutor executor = stepped.configure(StripedExecutor.builder()).build();
 * executor.execute("alice", () -> events.add("first"));
 * executor.execute("alice", () -> events.add("second"));
 *
 * assertThat(events).isEmpty();
 * stepped.runNext();
 * assertThat(events).containsExactly("first");
 * stepped.runAll();
 * assertThat(events).containsExactly("first", "second");
 * }</pre>
 *
 * <h2>Steps</h2>
 *
 * <p>An ordered executor hands over a stripe, not a task, and a thread then serves the stripe for a whole turn of up to
 * 64 tasks. {@link #configure} sets turns of a single task, so that each step runs one task. A step whose task was
 * cancelled meanwhile runs no task. If more than 16 tasks that share a group wait behind a task that has the group
 * exclusively, an additional step makes the remaining tasks ready; this step runs no task either. Ready tasks run in
 * the order in which they became ready, or after {@link #seed} in any order. A task that waits behind another task of
 * its stripe becomes ready when the other task has ended, and is {@linkplain #pending() pending} from then on.
 *
 * <h2>Threads</h2>
 *
 * <p>Each step runs on a new thread, and the caller waits until it has ended. So, as in production, a task sees no
 * transaction, no security context and no other thread-bound state of its caller, and code that relies on these fails
 * in the test as well. An executor made by {@link #onCallingThread()} runs steps on the thread that calls for them.
 *
 * <p>A step that takes longer than the {@linkplain #setStepLimit limit}, because its task waits for another task that
 * is never stepped for instance, is interrupted, and the call that waits for it throws an {@link AssertionError} with
 * the stack of the step. If that call is a submission after {@link #release()}, the ordered executor gets the error,
 * and passes it on as any failure of an executor: mostly to the uncaught exception handler, and so to the log.
 *
 * <p>Thread-safe. Memory consistency effects: actions in a thread before it hands over a task <i>happen-before</i> that
 * task, and actions of a step <i>happen-before</i> the return from the call that ran it.
 */
public final class SteppedExecutor implements Executor {
    private static final Duration DEFAULT_STEP_LIMIT = Duration.ofSeconds(10);

    /** The number of steps after which {@link #runAll()} counts as endless. */
    private static final int MOST = 100_000;

    static {
        // so that InTurn knows the current task
        TakeOver.begin();
    }

    /**
     * Work that waits to be stepped.
     *
     * @param executor the name of the executor that has handed the work over; null if the name is not known
     */
    private record Held(@Nullable String executor, Runnable work) {
        boolean isOf(Object key) {
            Object own = work instanceof Keyed keyed ? keyed.key() : null;
            Object wanted = InTurn.keyOf(key);
            return wanted.equals(own) || (own instanceof Groups groups && groups.touch(wanted));
        }
    }

    /** Holds the work of one executor. */
    private record OfExecutor(SteppedExecutor stepped, String name) implements Executor {
        @Override
        public void execute(Runnable task) {
            stepped.hold(new Held(name, Objects.requireNonNull(task, "task")));
        }

        @Override
        public String toString() {
            return stepped.toString();
        }
    }

    private final boolean onCallingThread;

    /** Guarded by itself. */
    private final List<Held> held = new ArrayList<>();

    /**
     * The source of the random order of steps; null for the order in which they became ready. Guarded by {@link #held}.
     */
    private @Nullable Randomness random;

    /**
     * Whether the current thread runs a step of this executor: tasks that become ready during the step wait for its
     * end.
     */
    private final ThreadLocal<Boolean> stepping = ThreadLocal.withInitial(() -> false);

    /** Written under {@link #held}, so that no task is added to a released executor after its last look. */
    private volatile boolean holding = true;

    /** Written by the test; read when a step starts. */
    private volatile Duration stepLimit = DEFAULT_STEP_LIMIT;

    /** Creates an executor that holds all tasks, and runs each step on a new thread. */
    public SteppedExecutor() {
        this(false);
    }

    private SteppedExecutor(boolean onCallingThread) {
        this.onCallingThread = onCallingThread;
    }

    /**
     * Creates an executor that holds all tasks, and runs each step on the thread that requests it. Use it for tasks
     * that need thread-bound state of the test, or for debugging. Unlike in production, these tasks see the test's
     * transaction.
     *
     * @return a new executor
     */
    public static SteppedExecutor onCallingThread() {
        return new SteppedExecutor(true);
    }

    /**
     * Lets an ordered executor run its tasks on this executor, one in each step.
     *
     * @param builder the builder of the ordered executor, without {@code threads} and {@code threadFactory}
     * @param <B> the kind of builder
     * @return {@code builder}
     */
    public <B extends OrderedExecutorBuilder<?>> B configure(B builder) {
        builder.executor(this).turn(1, Duration.ofDays(1));
        return builder;
    }

    /**
     * Like {@link #configure(OrderedExecutorBuilder)}, but with a name by which the steps of the ordered executor can
     * be selected.
     *
     * @param builder the builder of the ordered executor, without {@code threads} and {@code threadFactory}
     * @param name the name for {@link #runNext(String)} and {@link #pending(String)}; the builder keeps its own name
     * @param <B> the kind of builder
     * @return {@code builder}
     */
    public <B extends OrderedExecutorBuilder<?>> B configure(B builder, String name) {
        builder.executor(new OfExecutor(this, Objects.requireNonNull(name, "name")))
                .turn(1, Duration.ofDays(1));
        return builder;
    }

    /**
     * Returns whether an executor is stepped by hand.
     *
     * @param executor an executor that was given to a builder
     */
    static boolean steps(Executor executor) {
        return executor instanceof SteppedExecutor || executor instanceof OfExecutor;
    }

    /**
     * Runs steps in random order from now on: each step that is ready may be the next one. The tasks of one key keep
     * their order. The same seed and the same submissions give the same order; repeat a test with several seeds to try
     * several orders.
     *
     * @param seed any number
     */
    public void seed(long seed) {
        synchronized (held) {
            random = new Randomness(seed);
        }
    }

    /**
     * Sets the maximum time of a step that runs on a thread of its own.
     *
     * @param limit more than zero; 10 seconds if it is not set
     * @throws IllegalArgumentException if {@code limit} is not positive
     */
    public void setStepLimit(Duration limit) {
        if (Objects.requireNonNull(limit, "limit").isZero() || limit.isNegative()) {
            throw new IllegalArgumentException("limit is " + limit + ", but must be more than zero");
        }
        stepLimit = limit;
    }

    /**
     * Runs {@code task} in a later step or, after {@link #release()}, at once. Called by the executors under test.
     *
     * @param task the task to run
     */
    @Override
    public void execute(Runnable task) {
        hold(new Held(null, Objects.requireNonNull(task, "task")));
    }

    private void hold(Held more) {
        synchronized (held) {
            if (holding || stepping.get()) {
                held.add(more);
                return;
            }
        }
        // not added to the others: another thread that submits might take it, and this one go on before its end
        run(more);
        runAll();
    }

    /**
     * Returns how many steps can be run now. Tasks that wait behind another task of their stripe are not counted.
     *
     * @return the number of steps, 0 if nothing can run
     */
    public int pending() {
        synchronized (held) {
            return held.size();
        }
    }

    /**
     * Returns how many steps of one executor can be run now.
     *
     * @param executor the name with which the executor was {@linkplain #configure(OrderedExecutorBuilder, String)
     *     configured}; with Spring, the name of its bean
     * @return the number of steps, 0 if nothing can run
     */
    public int pending(String executor) {
        Objects.requireNonNull(executor, "executor");
        synchronized (held) {
            return (int) held.stream()
                    .filter(step -> executor.equals(step.executor()))
                    .count();
        }
    }

    /**
     * Runs the next step, and waits until it has ended. This is the step that has been pending for the longest time or,
     * after {@link #seed}, a random one.
     *
     * @return false if there is no such step
     * @throws AssertionError if the step takes longer than its limit, or the calling thread is interrupted while it
     *     waits
     * @throws RuntimeException the exception of the step. Tasks of ordered executors never cause it: their failures go
     *     to their future or to the uncaught exception handler
     */
    public boolean runNext() {
        return runNext(any -> true);
    }

    /**
     * Like {@link #runNext()}, but for a step of one executor.
     *
     * @param executor the name with which the executor was {@linkplain #configure(OrderedExecutorBuilder, String)
     *     configured}; with Spring, the name of its bean
     * @return false if there is no such step
     */
    public boolean runNext(String executor) {
        Objects.requireNonNull(executor, "executor");
        return runNext(step -> executor.equals(step.executor()));
    }

    /**
     * Like {@link #runNext()}, but for a step of one key.
     *
     * @param key a stripe, or a group that a task has
     * @return false if there is no such step
     */
    public boolean runNextOf(Object key) {
        Objects.requireNonNull(key, "key");
        return runNext(step -> step.isOf(key));
    }

    private boolean runNext(Predicate<Held> chosen) {
        Held next = take(chosen);
        if (next == null) {
            return false;
        }
        run(next);
        return true;
    }

    private void run(Held next) {
        if (onCallingThread) {
            step(next.work());
        } else {
            StepThread.run(() -> step(next.work()), stepLimit);
        }
    }

    /**
     * Takes the next step out of the list. Holds no lock while it compares keys, whose {@code equals} is code of the
     * application.
     */
    private @Nullable Held take(Predicate<Held> chosen) {
        while (true) {
            List<Held> all;
            synchronized (held) {
                all = List.copyOf(held);
            }
            List<Held> options = all.stream().filter(chosen).toList();
            if (options.isEmpty()) {
                return null;
            }
            synchronized (held) {
                Randomness drawn = random;
                Held next = options.get(drawn == null ? 0 : drawn.below(options.size()));
                if (held.remove(next)) {
                    return next;
                }
                // another thread has taken it
            }
        }
    }

    /**
     * Runs all pending steps, and the steps that become pending meanwhile, until there are none.
     *
     * @return the number of steps that were run
     * @throws AssertionError as {@link #runNext()}, and after 100,000 steps
     * @throws RuntimeException as {@link #runNext()}
     */
    public int runAll() {
        int steps = 0;
        while (runNext()) {
            steps++;
            if (steps == MOST && pending() > 0) {
                throw new AssertionError(String.format(
                        Locale.ROOT,
                        "runAll() has run %,d steps, and there are more: a task submits itself again, or is retried"
                                + " without a limit. Run such a task with runNext()",
                        MOST));
            }
        }
        return steps;
    }

    /** From now on, runs a step only when the test calls for it. This is the initial state. */
    public void hold() {
        synchronized (held) {
            holding = true;
        }
    }

    /**
     * Runs all pending steps, and from now on each task when it is handed over. So a submission, for instance a call of
     * an {@code @OrderedAsync} method, returns after its task has run, unless the task has to wait. A task that another
     * task submits runs when the step of that other task has ended.
     */
    public void release() {
        synchronized (held) {
            holding = false;
        }
        runAll();
    }

    private void step(Runnable task) {
        boolean nested = stepping.get();
        stepping.set(true);
        try {
            InTurn.aside(task);
        } finally {
            if (nested) {
                stepping.set(true);
            } else {
                stepping.remove();
            }
        }
    }

    @Override
    public String toString() {
        return "SteppedExecutor[" + pending() + " pending, " + (holding ? "holding" : "released") + "]";
    }
}
