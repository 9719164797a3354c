package io.orderedexecutor;

import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.WorkerPool;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all ordered executors share. Each has a default; an invalid value is rejected at once with a
 * message that names the setting; null is rejected with a {@link NullPointerException}.
 *
 * <p>The threads are either the executor's own ({@link #threads}, {@link #threadFactory}), which are started on demand,
 * end after a minute without work and are gone after termination, or those of an {@link #executor} that the caller
 * provides and remains responsible for.
 *
 * <p>A builder is not thread-safe. It can build any number of executors.
 *
 * @param <B> the kind of builder
 */
public abstract sealed class OrderedExecutorBuilder<B extends OrderedExecutorBuilder<B>>
        permits StripedExecutorBuilder, GroupedExecutorBuilder, OrderedOutputExecutorBuilder {
    private final String kind;
    private final AtomicInteger names;
    private @Nullable String name;
    private @Nullable Integer threads;
    private @Nullable ThreadFactory threadFactory;
    private @Nullable Executor executor;
    private Turn turn = Turn.DEFAULT;
    private FailurePolicy failurePolicy = FailurePolicy.proceed();
    private @Nullable Platform platform;
    private final List<TaskListener> listeners = new ArrayList<>();
    private int capacity = Settings.UNLIMITED;
    private Overflow overflow = Overflow.reject();

    /**
     * Starts with the defaults.
     *
     * @param kind the kind of executor, for messages
     * @param names counts the executors that are built without a name
     */
    OrderedExecutorBuilder(String kind, AtomicInteger names) {
        this.kind = kind;
        this.names = names;
    }

    abstract B self();

    /**
     * Sets the name, which threads, messages and meters use.
     *
     * @param name not blank; by default, the kind of executor and a number
     * @return this builder
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public final B name(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("name is blank; give the executor a name or leave the setting out");
        }
        this.name = name;
        return self();
    }

    /**
     * Sets the maximum number of the executor's own threads.
     *
     * @param threads at least 1; by default, the number of available processors
     * @return this builder
     * @throws IllegalArgumentException if {@code threads} is less than 1
     */
    public final B threads(int threads) {
        this.threads = Settings.checkedThreads(threads);
        return self();
    }

    /**
     * Sets the factory of the executor's own threads.
     *
     * @param threadFactory called with no lock held, on any thread that makes a task ready: one that submits, ends,
     *     cancels or resumes a task, or completes its stage, but also a thread of this executor or of a timer. By
     *     default, threads are not daemons, are named after the executor with a number, and have the normal priority
     *     and the thread group and context class loader of the thread that called {@link #build()}. They inherit
     *     nothing from the thread that submits, except that before JDK 24 each thread keeps the class loaders of the
     *     code that was on the stack when the thread was created. A thread that ends before it runs its
     *     {@link Runnable} is replaced at the next submission
     * @return this builder
     */
    public final B threadFactory(ThreadFactory threadFactory) {
        this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory");
        return self();
    }

    /**
     * Runs tasks on another executor: a shared pool, virtual threads, a hand-stepped executor in a test.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}. If it drops a
     *     {@link Runnable}, as a pool does in {@code shutdownNow} or with a {@code DiscardPolicy}, the stripes of that
     *     {@link Runnable} stall. The given executor has to live until the built executor is terminated, and is never
     *     closed by it. When the given executor is full, its {@code execute} must not wait but throw: its own threads
     *     call {@code execute} to pass on the remaining tasks at the end of a {@link #turn}, and if all of them wait
     *     for room, no thread is left to make room. Only a striped executor can run on an executor that does wait, see
     *     {@link StripedExecutorBuilder#turnUntilEmpty()}. The given executor decides how fairly ready stripes share
     *     its threads. Virtual threads that never block keep others from running. The threads of a
     *     {@link java.util.concurrent.ForkJoinPool} first run the work that they have submitted themselves: if more
     *     stripes than there are threads always have tasks, the other stripes never run. Any submitter may cause the
     *     start of a thread that then runs the tasks of all submitters: if the threads inherit
     *     {@link InheritableThreadLocal} values, a task may see those of another submitter. On JDK 21 or later, the
     *     threads of a {@code Thread.ofVirtual().inheritInheritableThreadLocals(false).factory()} inherit none
     * @return this builder
     */
    public final B executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return self();
    }

    /**
     * Sets how long a thread serves one stripe before it serves another waiting stripe: until it has run {@code tasks}
     * tasks or {@code time} has elapsed, which is checked between tasks. Longer turns cost less, shorter ones are
     * fairer. Replaces the setting of an earlier call of this method or of
     * {@link StripedExecutorBuilder#turnUntilEmpty()}.
     *
     * @param tasks at least 1; 64 by default
     * @param time more than zero; 1 ms by default
     * @return this builder
     * @throws IllegalArgumentException if {@code tasks} is less than 1 or {@code time} is not positive
     */
    public final B turn(int tasks, Duration time) {
        return turn(Turn.of(tasks, time));
    }

    final B turn(Turn turn) {
        this.turn = turn;
        return self();
    }

    /**
     * Sets how many tasks may be {@linkplain io.orderedexecutor.stats queued} in total. A parked task, or one that
     * waits for a retry, counts, but is never rejected.
     *
     * @param capacity from 1 to 1,000,000,000; unlimited by default
     * @return this builder
     * @throws IllegalArgumentException if {@code capacity} is out of range
     */
    public final B capacity(int capacity) {
        this.capacity = Settings.checked("capacity", capacity);
        return self();
    }

    /**
     * Sets what happens to a submission for which there is no room.
     *
     * @param overflow the policy; {@link Overflow#reject()} by default, except for ordered output, where submissions
     *     wait for room without a limit
     * @return this builder
     */
    public final B overflow(Overflow overflow) {
        this.overflow = Objects.requireNonNull(overflow, "overflow");
        return self();
    }

    /**
     * Sets what happens to a stripe when one of its tasks fails.
     *
     * @param failurePolicy the policy; {@link FailurePolicy#proceed()} by default
     * @return this builder
     */
    public final B failurePolicy(FailurePolicy failurePolicy) {
        this.failurePolicy = Objects.requireNonNull(failurePolicy, "failurePolicy");
        return self();
    }

    /**
     * Adds a listener for task events. Listeners are called in the order in which they were added; an exception of one
     * listener does not affect the others. Without a listener, or with {@link TaskListener#NO_OP}, events cost nothing.
     *
     * @param listener the listener
     * @return this builder
     */
    public final B listener(TaskListener listener) {
        if (Objects.requireNonNull(listener, "listener") != TaskListener.NO_OP) {
            listeners.add(listener);
        }
        return self();
    }

    /** For tests, which control the clock, the timers and the threads. */
    final B platform(Platform platform) {
        this.platform = platform;
        return self();
    }

    /**
     * Builds the executor. No thread is started before the first task.
     *
     * @return a new executor
     * @throws IllegalStateException if {@link #executor} is combined with {@link #threads} or {@link #threadFactory}
     */
    public abstract OrderedExecutor build();

    /** The settings of one executor, which gets its name here. */
    final Settings settings(int keyCapacity, boolean identityStripes, @Nullable Duration reservationLease) {
        String given = name;
        String chosen = given == null ? kind + "-executor-" + names.incrementAndGet() : given;
        Platform ofTest = platform;
        Platform used = ofTest == null ? Platform.of(chosen) : ofTest;
        return new Settings(
                chosen,
                capacity,
                keyCapacity,
                identityStripes,
                overflow,
                failurePolicy,
                reservationLease,
                used.listeners(chosen, List.copyOf(listeners)),
                used);
    }

    /** Creates an engine from its workers and the action that closes them when the executor has terminated. */
    final <E> E buildFor(Settings settings, BiFunction<Workers, Runnable, E> engine) {
        Platform platform = settings.platform();
        if (executor == null) {
            WorkerPool pool = new WorkerPool(
                    settings.name(),
                    threads == null ? platform.processors() : threads,
                    platform.threadFactory(settings.name(), threadFactory),
                    turn,
                    platform);
            return engine.apply(pool, pool::close);
        }
        if (threads != null || threadFactory != null) {
            throw new IllegalStateException(kind + " executor '" + settings.name() + "' has an executor and "
                    + (threads != null ? "threads" : "a threadFactory")
                    + ": threads of its own and those of another executor exclude each other, so leave one out");
        }
        Executor borrowed = platform.borrowed(settings.name(), executor);
        BorrowedWorkers workers = new BorrowedWorkers(settings.name(), borrowed, turn, platform);
        return engine.apply(workers, workers::close);
    }
}
