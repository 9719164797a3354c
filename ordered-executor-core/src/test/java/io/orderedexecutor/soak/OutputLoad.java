package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Pieces of several outputs: each submitter has its own, and more that it opens and closes on the way. */
final class OutputLoad implements Load {

    /** What an output has written. Used by the output. */
    private static final class Sink {
        private final AtomicInteger writing = new AtomicInteger();
        private long last;
        private boolean isWrong;

        void write(long number) {
            if (writing.incrementAndGet() > 1 || number <= last) {
                isWrong = true;
            }
            last = number;
            writing.decrementAndGet();
        }
    }

    private final Audit audit = new Audit();
    private final OrderedOutputExecutor executor =
            OrderedOutputExecutor.builder().threads(2).listener(audit).build();
    private final Sink[] sinks;
    private final OrderedOutput<Long>[] outputs;
    private final long[] next;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    OutputLoad(int submitters) {
        sinks = IntStream.range(0, submitters).mapToObj(any -> new Sink()).toArray(Sink[]::new);
        outputs = IntStream.range(0, submitters)
                .mapToObj(i -> executor.<Long>open(sinks[i]::write))
                .toArray(OrderedOutput[]::new);
        next = new long[submitters];
    }

    @Override
    public void act(int submitter, SplittableRandom random) {
        if (random.nextInt(50) == 0) {
            Sink sink = new Sink();
            try (OrderedOutput<Long> passing = executor.open(sink::write)) {
                submit(passing, submitter, random);
                submit(passing, submitter, random);
            }
        }
        submit(outputs[submitter], submitter, random);
    }

    private void submit(OrderedOutput<Long> output, int submitter, SplittableRandom random) {
        long number = ++next[submitter];
        Audit.Task task = audit.new Task(null, submitter, random);
        audit.submitted.increment();
        try {
            CompletableFuture<Long> future = random.nextInt(4) == 0
                    ? output.submitAsync(() -> CompletableFuture.supplyAsync(() -> resultOf(task, number)))
                    : output.submit(() -> resultOf(task, number));
            if (random.nextInt(20) == 0) {
                future.cancel(true);
            }
        } catch (RejectedExecutionException refused) {
            audit.refused.increment();
        }
    }

    private static long resultOf(Audit.Task task, long number) {
        Object unused = task.run();
        return number;
    }

    @Override
    public void change(SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> executor.setThreads(1 + random.nextInt(4));
            case 1 -> executor.setWindow(1 + random.nextInt(500));
            default -> {
                executor.pause();
                executor.resume();
            }
        }
    }

    @Override
    public void settle() throws InterruptedException {
        if (!executor.drain(Duration.ofSeconds(Patience.SECONDS))) {
            throw Patience.hang(executor + " is not idle");
        }
        audit.assertSettled();
        assertThat(sinks).as("outputs in order, one at a time").noneMatch(sink -> sink.isWrong);
    }

    @Override
    public String figures() {
        return executor.name() + ": " + audit.figures();
    }

    @Override
    public void close() {
        for (OrderedOutput<Long> output : outputs) {
            output.close();
        }
        Patience.terminate(executor);
    }
}
