package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.test.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Pieces of two outputs, which work in parallel and are written in the order of their submission. */
final class OutputSchedule extends Schedule {

    /** What an output has written. */
    private static final class Sink {
        final List<String> written = new ArrayList<>();
        boolean writing;
    }

    /** A piece of work that knows its name, to be found in the model. */
    private record Piece(OutputSchedule schedule, String name) implements Callable<String> {
        @Override
        public String call() {
            return schedule.work(name);
        }
    }

    /** What was accepted, in that order: for each output the names of its pieces. */
    private static final class OutputModel extends Model {
        final List<String> accepted = new ArrayList<>();

        @Override
        boolean conflict(@Nullable Object one, @Nullable Object other) {
            return false; // pieces work at once
        }

        @Override
        public void queued(@Nullable Object key, Object task) {
            super.queued(key, task);
            if (task instanceof Piece piece) {
                accepted.add(piece.name());
            }
        }
    }

    private final OrderedOutputExecutor executor;
    private final List<Sink> sinks = new ArrayList<>();
    private final List<OrderedOutput<String>> outputs = new ArrayList<>();

    private OutputSchedule(Simulation simulation, Model model) {
        super(simulation, model);
        executor = configure(simulation.outputs("outputs"), REFUSES).build();
        for (int i = 0; i < 2; i++) {
            Sink sink = new Sink();
            sinks.add(sink);
            var output = executor.<String>outputTo(piece -> write(sink, piece)).window(1 + simulation.choose(4));
            if (oneIn(2)) {
                output.concurrency(1 + simulation.choose(2));
            }
            outputs.add(output.open());
        }
    }

    static void run(Simulation simulation) {
        OutputModel model = new OutputModel();
        OutputSchedule schedule = new OutputSchedule(simulation, model);
        schedule.run(schedule.executor);
        schedule.sinks.forEach(sink -> assertThat(
                        sink.written.stream().filter(model.accepted::contains).map(model.accepted::indexOf))
                .as("written in the order of their submission")
                .isSorted());
    }

    private void write(Sink sink, String piece) {
        assertThat(sink.writing).as("two pieces are written at once").isFalse();
        assertThat(sink.written).as("written twice").doesNotContain(piece);
        sink.writing = true;
        if (oneIn(4)) {
            simulation.yieldPoint("writes " + piece);
        }
        sink.writing = false;
        sink.written.add(piece);
    }

    @Override
    CompletableFuture<?> place(String name) {
        OrderedOutput<String> output = oneOf(outputs);
        return oneIn(3) ? output.submitAsync(() -> stage(name)) : output.submit(new Piece(this, name));
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
