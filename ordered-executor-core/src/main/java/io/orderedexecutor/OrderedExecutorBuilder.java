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
 * message that names the setting.
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
     * @param kind what is built, for messages
     * @param names counts those that are built without a name
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
     * Sets the maximum number of threads of the executor's own.
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
     * @param threadFactory called on a thread that submits a task or has ended one, without a lock held. By default,
     *     threads are not daemons, are named after the executor with a number, and have the normal priority and the
     *     thread group and context class loader of the thread that called {@link #build()}. They inherit nothing from
     *     the thread that submits, but that before JDK 24 each thread of Java keeps the class loaders of what was on
     *     the stack when it was made. A thread that ends before it runs what it was given is replaced at the next
     *     submission
     * @return this builder
     */
    public final B threadFactory(ThreadFactory threadFactory) {
        this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory");
        return self();
    }

    /**
     * Runs tasks on another executor: a shared pool, virtual threads, a hand-stepped executor in a test.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}; one that drops them
     *     silently stalls their stripes. It is never closed, and has to live until this executor is terminated. Its
     *     {@code execute} must not wait when it is full, but refuse: its own threads call it to pass on what is left at
     *     the end of a {@link #turn}, and if all of them wait for room, no thread is left to make any. If it does wait,
     *     see {@link StripedExecutorBuilder#turnUntilEmpty()}. How fairly stripes that are ready share its threads is
     *     up to it. Virtual threads that never wait keep others from running. The threads of a
     *     {@link java.util.concurrent.ForkJoinPool} take what they have handed over themselves before anything else, so
     *     more stripes that always have tasks than there are threads keep others from running for ever. Any submitter
     *     may make it start a thread that then runs the tasks of all: if its threads inherit
     *     {@link InheritableThreadLocal} values, a task sees those of another submitter. On JDK 21 or later, the
     *     threads of a {@code Thread.ofVirtual().inheritInheritableThreadLocals(false).factory()} inherit none
     * @return this builder
     */
    public final B executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return self();
    }

    /**
     * Sets how long a thread serves one stripe before it serves another that is waiting: until it has run {@code tasks}
     * tasks or {@code time} has elapsed, which is checked between tasks. Longer turns cost less, shorter ones are
     * fairer. Replaces what an earlier call of this method, or of {@link StripedExecutorBuilder#turnUntilEmpty()}, has
     * set.
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
     * Sets how many tasks may be queued in total: accepted and not started. A parked task, or one that waits for a
     * retry, counts too, but is never rejected.
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
     * @param overflow the policy; {@link Overflow#reject()} by default, but for ordered output, where submissions wait
     *     for room for as long as it takes
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
     * does not affect the others. Without a listener, or with {@link TaskListener#NO_OP}, events cost nothing.
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

    /** For tests: the clock, timers and threads that they control. */
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

    /** Makes an engine of the threads and what is to be done when it has terminated. */
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
