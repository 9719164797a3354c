package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A grouped executor: tasks with a group or two, shared groups, barriers. */
final class GroupedLoad extends KeyedLoad<Groups> {
    private final GroupedExecutor executor;

    GroupedLoad(Audit audit, Overflow overflow, FailurePolicy policy, Executor pool, int submitters) {
        super(audit, pool == null, submitters);
        executor = configure(GroupedExecutor.builder(), audit, overflow, pool)
                .name(audit.name())
                .failurePolicy(policy)
                .keyCapacity(200)
                .build();
    }

    @Override
    OrderedExecutor executor() {
        return executor;
    }

    @Override
    Target<Groups> target(int submitter, SplittableRandom random) {
        int kind = random.nextInt(3000);
        if (kind == 0) {
            return new Target<>(Groups.all(), placeInAll(submitter));
        }
        if (kind < 2000) {
            return new Target<>(Groups.exclusive(passingKey(random)), List.of());
        }
        int lane = lane(random);
        int other = lane(random);
        Key key = new Key(lane);
        Key otherKey = new Key(other);
        if (lane == other) {
            return new Target<>(Groups.exclusive(key), List.of(place(lane, submitter, false)));
        }
        return switch (random.nextInt(3)) {
            case 0 ->
                new Target<>(
                        Groups.exclusive(key, otherKey),
                        List.of(place(lane, submitter, false), place(other, submitter, false)));
            case 1 ->
                new Target<>(
                        Groups.exclusive(key).andShared(otherKey),
                        List.of(place(lane, submitter, false), place(other, submitter, true)));
            default -> new Target<>(Groups.shared(key), List.of(place(lane, submitter, true)));
        };
    }

    @Override
    void execute(Groups key, Job job) {
        executor.execute(key, job);
    }

    @Override
    CompletableFuture<?> submit(Groups key, Job job) {
        return executor.submit(key, job);
    }

    @Override
    CompletableFuture<?> submitAsync(Groups key, Job job) {
        return executor.submitAsync(key, job);
    }

    @Override
    Reservation reserve(Groups key) {
        return executor.reserve(key);
    }

    @Override
    CompletableFuture<?> submitInOwnWay(Groups key, Job job, SplittableRandom random) {
        executor.executorFor(key).execute(job);
        return null;
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
        // its failures park nothing
    }

    @Override
    void assertIsEmpty() {
        assertThat(executor.inspect().stats().keys()).as("groups of %s", this).isZero();
    }
}
