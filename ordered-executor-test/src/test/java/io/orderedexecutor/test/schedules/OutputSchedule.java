package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.test.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Pieces of two outputs, which work in parallel, some in stages, and are written in the order of their submission. */
final class OutputSchedule extends Schedule {

    /** An output, and what it has written. */
    private static final class Sink {
        final int concurrency;
        final List<String> written = new ArrayList<>();
        boolean writing;

        Sink(int concurrency) {
            this.concurrency = concurrency;
        }
    }

    /** What was accepted, in that order; and how many pieces of an output work at once. */
    private static final class OutputModel extends Model {
        final List<Job> accepted = new ArrayList<>();
        final List<String> finished = new ArrayList<>();

        @Override
        boolean conflict(@Nullable Object one, @Nullable Object other) {
            return false; // pieces work at once
        }

        /** A stage goes on when its piece is cancelled, and counts no more. */
        @Override
        void begins(Job job) {
            super.begins(job);
            Sink sink = (Sink) job.key();
            long working = accepted.stream()
                    .filter(other -> other.key() == sink && other.isWorking() && !hasEnded(other))
                    .count();
            if (sink != null && working >= sink.concurrency) {
                fail(working + " work already, and " + sink.concurrency + " may", job);
            }
        }

        @Override
        public void queued(@Nullable Object key, Object task) {
            super.queued(key, task);
            accepted.add((Job) task);
        }

        @Override
        public void finished(@Nullable Object key, Object task, long nanosRun) {
            super.finished(key, task, nanosRun);
            finished.add(((Job) task).name());
        }

        List<String> namesOf(Sink sink) {
            return accepted.stream()
                    .filter(job -> job.key() == sink)
                    .map(Job::name)
                    .toList();
        }

        List<String> finishedIn(Sink sink) {
            return namesOf(sink).stream().filter(finished::contains).toList();
        }
    }

    private final OrderedOutputExecutor executor;
    private final List<Sink> sinks = new ArrayList<>();
    private final List<OrderedOutput<String>> outputs = new ArrayList<>();

    private OutputSchedule(Simulation simulation, Model model) {
        super(simulation, model);
        executor = configure(simulation.outputs("outputs"), REFUSES).build();
        for (int i = 0; i < 2; i++) {
            Sink sink = new Sink(oneIn(2) ? 1 + simulation.choose(2) : Integer.MAX_VALUE);
            var output = executor.<String>outputTo(piece -> write(sink, piece)).window(1 + simulation.choose(4));
            if (sink.concurrency < Integer.MAX_VALUE) {
                output.concurrency(sink.concurrency);
            }
            sinks.add(sink);
            outputs.add(output.open());
        }
    }

    static void run(Simulation simulation) {
        OutputModel model = new OutputModel();
        OutputSchedule schedule = new OutputSchedule(simulation, model);
        schedule.run(schedule.executor);
        for (Sink sink : schedule.sinks) {
            List<String> accepted = model.namesOf(sink);
            assertThat(sink.written.stream().map(accepted::indexOf))
                    .as("written in the order of their submission, once")
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .doesNotContain(-1);
            // what is cancelled at the moment of its output is written, too
            assertThat(sink.written).as("written").containsAll(model.finishedIn(sink));
        }
    }

    private void write(Sink sink, String piece) {
        assertThat(sink.writing).as("two pieces are written at once").isFalse();
        sink.writing = true;
        try {
            if (oneIn(4)) {
                simulation.yieldPoint("writes " + piece);
            }
        } finally {
            sink.writing = false;
        }
        sink.written.add(piece);
    }

    @Override
    void place() {
        int chosen = simulation.choose(outputs.size());
        Job job = newJob(sinks.get(chosen));
        OrderedOutput<String> output = outputs.get(chosen);
        keep(job, oneIn(3) ? output.submitAsync(job) : output.submit(job));
    }

    @Override
    void steer() {
        CompletableFuture<?> flushed = oneOf(outputs).flush();
        simulation.yieldPoint("flushes");
        assertThat(flushed).isNotCompletedExceptionally();
    }

    @Override
    void release() {
        // pieces do not park
    }
}
