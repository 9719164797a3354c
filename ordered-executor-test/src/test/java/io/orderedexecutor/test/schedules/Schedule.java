package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.test.Fault;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One run of an executor with features at random: callers that submit, cancel, pause, resume and shut down, and tasks
 * that fail, wait for stages and are tried again. A {@link Model} compares what happens with what was promised.
 */
abstract class Schedule {

    /** What tasks fail with, on purpose. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed(String where) {
            super(where);
        }
    }

    static final List<Overflow> REFUSES = List.of(Overflow.reject(), Overflow.block(Duration.ofSeconds(5)));
    static final List<Overflow> REFUSES_OR_DROPS =
            List.of(Overflow.reject(), Overflow.block(Duration.ofSeconds(5)), Overflow.discardOldest());

    /** Interrupts are left out: callers would have to deal with them. A rejection tests the callers only. */
    private static final List<Fault> FAULTS = List.of(Fault.EXCEPTION, Fault.CANCELLATION, Fault.SLOWNESS);

    final Simulation simulation;
    final Model model;
    private final List<CompletableFuture<?>> futures = new ArrayList<>();
    private boolean shutDown;
    private int jobs;

    Schedule(Simulation simulation, Model model) {
        this.simulation = simulation;
        this.model = model;
    }

    final boolean oneIn(int times) {
        return simulation.choose(times) == times - 1;
    }

    final <T> T oneOf(List<T> list) {
        return list.get(simulation.choose(list.size()));
    }

    // the executor

    /**
     * Sets what all executors have.
     *
     * @param overflows what may happen to a submission for which there is no room
     */
    final <B extends OrderedExecutorBuilder<B>> B configure(B builder, List<Overflow> overflows) {
        if (oneIn(4)) {
            builder.executor(simulation.executor());
        } else {
            builder.threads(1 + simulation.choose(3));
        }
        if (oneIn(2)) {
            builder.turn(1, Duration.ofSeconds(1));
        }
        if (oneIn(2)) {
            model.capacity = 1 + simulation.choose(3);
            builder.capacity(model.capacity);
        }
        builder.overflow(oneOf(overflows));
        return builder.listener(model);
    }

    // what callers do

    private void call(OrderedExecutor executor) throws Exception {
        int operations = 1 + simulation.choose(4);
        for (int i = 0; i < operations; i++) {
            int operation = simulation.choose(14);
            if (operation < 9) {
                submit();
            } else if (operation == 9) {
                cancelOne();
            } else if (operation == 10) {
                executor.control().pause();
                simulation.yieldPoint("paused");
                executor.control().resume();
            } else if (operation == 11) {
                executor.awaitIdle(Duration.ofSeconds(3));
            } else if (operation == 12) {
                steer();
            } else if (operation == 13 && oneIn(3)) {
                end(executor);
            }
        }
    }

    /** Cancels a job that may wait, run, be parked or be over. */
    final void cancelOne() {
        if (!futures.isEmpty()) {
            oneOf(futures).cancel(oneIn(2));
        }
    }

    private void end(OrderedExecutor executor) {
        shutDown = true;
        if (oneIn(2)) {
            executor.shutdown();
        } else {
            executor.shutdownNow().forEach(model::assertNotStarted);
        }
    }

    /** Submits in some way; a rejection is one of the right answers. */
    final void submit() throws InterruptedException {
        try {
            place();
        } catch (RejectedExecutionException full) {
            simulation.yieldPoint("was rejected");
        }
    }

    /** Submits a job in some way. */
    abstract void place() throws InterruptedException;

    /** Pauses and resumes one key, or does something else that this kind can. */
    abstract void steer() throws InterruptedException;

    // jobs

    final Job newJob(@Nullable Object key) {
        return newJob(key, null);
    }

    /** A job that works or starts a stage, whatever it is submitted as. */
    final Job newJob(@Nullable Object key, @Nullable WhenBusy whenBusy) {
        String name = nextName();
        return newJob(name, key, whenBusy, () -> work(name));
    }

    final Job newJob(String name, @Nullable Object key, @Nullable WhenBusy whenBusy, Callable<String> work) {
        Job job = new Job(model, name, key, whenBusy, work, () -> stage(name));
        model.calls(job);
        return job;
    }

    final String nextName() {
        return "task " + ++jobs;
    }

    /** The future of a job that was just submitted: somebody may cancel it. */
    final void keep(Job job, CompletableFuture<?> future) {
        job.setFuture(future);
        futures.add(future);
    }

    final String work(String name) {
        if (oneIn(3)) {
            simulation.yieldPoint("in " + name);
        }
        if (oneIn(5)) {
            throw new Failed("in " + name);
        }
        return name;
    }

    private CompletableFuture<String> stage(String name) {
        if (oneIn(6)) {
            throw new Failed("before " + name);
        }
        CompletableFuture<String> stage = simulation.stage("answer to " + name, name);
        return oneIn(6)
                ? stage.thenApply(any -> {
                    throw new Failed("in the answer to " + name);
                })
                : stage;
    }

    // the run

    /** Starts callers, lets everything happen, ends, and checks what all executors promise. */
    final void run(OrderedExecutor executor) {
        if (oneIn(3)) {
            simulation.faults(oneOf(FAULTS));
        }
        int callers = 1 + simulation.choose(3);
        for (int i = 0; i < callers; i++) {
            simulation.thread("caller " + i, () -> call(executor));
        }
        simulation.run();
        executor.control().resume();
        release();
        simulation.run();
        if (!shutDown) {
            simulation.assertIdle();
        }
        executor.close();
        assertThat(executor.isTerminated()).as("terminated").isTrue();
        assertThat(futures).as("futures").allMatch(CompletableFuture::isDone);
        model.assertNothingLeft();
    }

    /** Skips all that is parked. */
    abstract void release();
}
