package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.strand.BatchLink;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.engine.strand.TakenBack;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.RunningTask;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * The tasks of the strands in a table.
 *
 * @param strands the table
 */
public record LiveStrands(SegmentedTable<?, ? extends Strand> strands) implements LiveTasks {

    @Override
    public boolean isEmpty() {
        return strands.isEmpty();
    }

    @Override
    public void close(IntConsumer empty) {
        strands.close(empty);
    }

    @Override
    public void adoptUnattended() {
        strands.forEachStartable(Serving::adoptIfUnattended);
    }

    @Override
    public void unpause() {
        strands.forEach(StrandControl::unpause);
    }

    @Override
    public void endLingers() {
        strands.forEach(BatchLink::hurryLast);
    }

    @Override
    public void onShutdown() {
        strands.forEach(StrandControl::onShutdown);
    }

    @Override
    public void takeBack(TakenBack unstarted) {
        strands.forEach(strand -> StrandControl.takeBack(strand, unstarted));
    }

    @Override
    public void stop() {
        strands.forEach(StrandControl::stop);
    }

    @Override
    public boolean isHeldUpHere() {
        Thread thread = Thread.currentThread();
        AtomicBoolean heldUp = new AtomicBoolean();
        strands.forEachStartable(strand -> {
            if (strand.isHeldBy(thread)) {
                heldUp.set(true);
            }
        });
        return heldUp.get();
    }

    @Override
    public void forEachRunning(Consumer<? super RunningTask> visitor) {
        Set<Strand> startable = startable();
        if (startable.isEmpty()) {
            return;
        }
        long now = startable.iterator().next().host().platform().nanoTime();
        startable.stream()
                .map(strand -> StrandControl.runningTask(strand, now))
                .filter(Objects::nonNull)
                .forEach(visitor);
    }

    private Set<Strand> startable() {
        // some may be visited more than once
        Set<Strand> startable = new LinkedHashSet<>();
        strands.forEachStartable(startable::add);
        return startable;
    }

    @Override
    public void forEachStuck(long nanos, Consumer<? super Explanation> visitor) {
        startable().stream()
                .map(strand -> StrandReasons.explainStuck(strand, nanos))
                .filter(Objects::nonNull)
                .forEach(visitor);
    }

    @Override
    public void forEachOldestQueuedAt(LongConsumer visitor) {
        strands.forEach(strand -> {
            long queuedAt = strand.oldestQueuedAt();
            if (queuedAt != 0) {
                visitor.accept(queuedAt);
            }
        });
    }
}
