package io.orderedexecutor;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link StripedExecutor}. All have defaults; a nonsensical value is refused at once with a message that names
 * the setting.
 *
 * <p>Threads are either the executor's own ({@link #threads}, {@link #threadFactory}): started when there is work, ended after a
 * minute without, and gone after termination. Or they are those of {@link #executor}, which stays the caller's.
 *
 * <p>A builder is not thread-safe, and can be used for any number of executors.
 */
public final class StripedExecutorBuilder {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private @Nullable String name;
    private boolean identityStripes;
    private @Nullable Integer threads;
    private @Nullable ThreadFactory threadFactory;
    private @Nullable Executor executor;
    private Turn turn = Turn.DEFAULT;

    StripedExecutorBuilder() {}

    /**
     * Sets the name, which threads, messages and meters bear.
     *
     * @param name not blank; {@code striped-executor-1} and so on if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public StripedExecutorBuilder name(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("name is blank; give the executor a name or leave the setting out");
        }
        this.name = name;
        return this;
    }

    /**
     * Sets how many threads of its own the executor has at most.
     *
     * @param threads at least 1; as many as there are processors if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code threads} is less than 1
     */
    public StripedExecutorBuilder threads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + ", but must be at least 1");
        }
        this.threads = threads;
        return this;
    }

    /**
     * Sets what makes the executor's own threads.
     *
     * @param threadFactory called on a thread that submits a task or has ended one, without a lock held; if it is not set,
     *     threads are no daemons, bear the executor's name and a number, and have the context class loader of the thread
     *     that called {@link #build()}
     * @return this builder
     */
    public StripedExecutorBuilder threadFactory(ThreadFactory threadFactory) {
        this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory");
        return this;
    }

    /**
     * Lets tasks run on the threads of another executor: a shared pool, virtual threads, a hand-stepped executor in a test.
     *
     * @param executor runs each {@link Runnable} that it accepts, or throws from {@code execute}; one that drops them silently
     *     stalls their stripes. It is never closed, and has to live until this executor is terminated
     * @return this builder
     */
    public StripedExecutorBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets how long a thread serves one stripe while others wait: until it has run {@code tasks} tasks or, measured between
     * tasks, {@code time} is over. Longer turns cost less, shorter ones are fairer.
     *
     * @param tasks at least 1; 64 if it is not set
     * @param time more than zero; 1 ms if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code tasks} is less than 1 or {@code time} is not positive
     */
    public StripedExecutorBuilder turn(int tasks, Duration time) {
        if (tasks < 1) {
            throw new IllegalArgumentException("the tasks of a turn are " + tasks + ", but must be at least 1");
        }
        if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
            throw new IllegalArgumentException("the time of a turn is " + time + ", but must be more than zero");
        }
        this.turn = Turn.of(tasks, time);
        return this;
    }

    /**
     * Takes two stripes for the same only if they are one object, instead of if they are equal.
     *
     * @return this builder
     */
    public StripedExecutorBuilder identityStripes() {
        this.identityStripes = true;
        return this;
    }

    /**
     * Builds the executor. No thread is started before the first task.
     *
     * @return a new executor
     * @throws IllegalStateException if {@link #executor} is set together with {@link #threads} or {@link #threadFactory}
     */
    public StripedExecutor build() {
        String name = this.name == null ? "striped-executor-" + NAMES.incrementAndGet() : this.name;
        if (executor == null) {
            WorkerPool pool = new WorkerPool(
                    threads == null ? Runtime.getRuntime().availableProcessors() : threads,
                    threadFactory == null ? new WorkerThreadFactory(name) : threadFactory,
                    turn);
            return new StripedExecutor(name, identityStripes, pool, pool::close);
        }
        if (threads != null || threadFactory != null) {
            throw new IllegalStateException("striped executor '" + name + "' has an executor and "
                    + (threads != null ? "threads" : "a threadFactory")
                    + ": threads of its own and those of another executor exclude each other, so leave one out");
        }
        return new StripedExecutor(name, identityStripes, new BorrowedWorkers(executor, turn), () -> {});
    }
}
