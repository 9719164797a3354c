package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A striped executor, with batches and with tasks that replace or interrupt others, or are refused. */
final class StripedLoad extends KeyedLoad<KeyedLoad.Key> {
    private final StripedExecutor executor;
    private final Batcher<Key, Job> batcher;

    StripedLoad(Audit audit, Overflow overflow, FailurePolicy policy, Executor pool, int submitters) {
        super(audit, pool == null, submitters);
        executor = configure(StripedExecutor.builder(), audit, overflow, pool)
                .name(audit.name())
                .failurePolicy(policy)
                .keyCapacity(200)
                .build();
        batcher = executor.<Key, Job>batchTo((key, items) -> Job.runTogether(List.copyOf(items)))
                .maxBatch(10)
                .build();
    }

    @Override
    OrderedExecutor executor() {
        return executor;
    }

    @Override
    Target<Key> target(int submitter, SplittableRandom random) {
        if (random.nextInt(3) > 0) {
            return new Target<>(passingKey(random), List.of());
        }
        int lane = lane(random);
        return new Target<>(new Key(lane), List.of(place(lane, submitter, false)));
    }

    @Override
    void execute(Key key, Job job) {
        executor.execute(key, job);
    }

    @Override
    CompletableFuture<?> submit(Key key, Job job) {
        return executor.submit(key, job);
    }

    @Override
    CompletableFuture<?> submitAsync(Key key, Job job) {
        return executor.submitAsync(key, job);
    }

    @Override
    Reservation reserve(Key key) {
        return executor.reserve(key);
    }

    @Override
    CompletableFuture<?> submitInOwnWay(Key key, Job job, SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> executor.with(WhenBusy.latest("slot")).submit(key, job);
            case 1 -> executor.with(WhenBusy.interrupt("slot")).submit(key, job);
            case 2 -> executor.with(WhenBusy.refuse()).submit(key, job);
            default -> batcher.submit(key, job);
        };
    }

    @Override
    void pause(Key key) {
        executor.control().pause(key);
    }

    @Override
    void resume(Key key) {
        executor.control().resume(key);
    }

    @Override
    void setKeyCapacity(int capacity) {
        executor.control().setKeyCapacity(capacity);
    }

    @Override
    void decide(SplittableRandom random) {
        executor.inspect().parkedTasks().forEach(parked -> {
            if (random.nextBoolean()) {
                executor.control().resume(parked.key());
            } else {
                executor.control().skip(parked.key());
            }
        });
    }

    @Override
    void assertIsEmpty() {
        assertThat(executor.inspect().stats().keys()).as("stripes of %s", this).isZero();
    }
}
