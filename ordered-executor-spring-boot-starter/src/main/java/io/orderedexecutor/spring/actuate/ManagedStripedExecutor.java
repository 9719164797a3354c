package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.OneStripeDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.ParkedStripeDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.StripeDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.StripedExecutorDescriptor;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A striped executor, seen from outside. */
final class ManagedStripedExecutor extends ManagedExecutor implements SteersKeys {
    private static final String KEY = "stripe";

    private final StripedExecutor executor;

    ManagedStripedExecutor(String name, StripedExecutor executor) {
        super(name, executor);
        this.executor = executor;
    }

    @Override
    String type() {
        return "striped";
    }

    @Override
    String key() {
        return KEY;
    }

    @Override
    ToDoubleFunction<OrderedExecutorStats> keysIn() {
        return stats -> ((StripedExecutorStats) stats).stripes();
    }

    @Override
    ToDoubleFunction<OrderedExecutor> reserved() {
        return reserving -> ((StripedExecutor) reserving).reserved();
    }

    @Override
    ToDoubleFunction<OrderedExecutor> oldestReservedNanos() {
        return reserving -> ((StripedExecutor) reserving).oldestReservedAge().toNanos();
    }

    @Override
    Function<OrderedExecutor, WhenBusyStats> whenBusy() {
        return striped -> ((StripedExecutor) striped).whenBusyStats();
    }

    @Override
    int parked() {
        return executor.parkedStripes().size();
    }

    @Override
    @Nullable
    Explanation explainParked() {
        return executor.parkedStripes().stream()
                .findFirst()
                .map(parked -> executor.explain(parked.stripe()))
                .orElse(null);
    }

    // what is shown

    @Override
    StripedExecutorDescriptor describe(int limit, Shown shown) {
        List<StripeDescriptor> deepest = executor.deepestStripes(limit).stream()
                .map(stripe -> new StripeDescriptor(
                        shown.key(KEY, stripe.stripe()),
                        stripe.queued(),
                        stripe.reserved(),
                        reservedAge(stripe.reserved(), stripe.reservedAge()),
                        stripe.active(),
                        executor.isPaused(stripe.stripe())))
                .toList();
        List<RunningTaskDescriptor> running = oldestTasks()
                .limit(limit)
                .map(task -> shown.runningTask(task, KEY))
                .toList();
        List<ParkedStripeDescriptor> parked = executor.parkedStripes().stream()
                .limit(limit)
                .map(stripe -> new ParkedStripeDescriptor(
                        shown.key(KEY, stripe.stripe()), stripe.queued(), shown.failure(stripe.failure())))
                .toList();
        return new StripedExecutorDescriptor(
                name(),
                type(),
                state(),
                describeSettings(),
                executor.stats(),
                executor.reserved(),
                reservedAge(executor.reserved(), executor.oldestReservedAge()),
                rejections(),
                executor.whenBusyStats(),
                oldestQueuedAge(),
                deepest,
                running,
                parked);
    }

    @Override
    @Nullable
    OneStripeDescriptor describeKey(Object key, int limit, Shown shown) {
        StripeSnapshot stripe = executor.snapshot(key).orElse(null);
        if (stripe == null) {
            return null;
        }
        // the very object that the stripe was opened with, whatever makes two of them equal here
        Object open = stripe.stripe();
        return new OneStripeDescriptor(
                shown.key(KEY, open),
                stripe.queued(),
                stripe.reserved(),
                reservedAge(stripe.reserved(), stripe.reservedAge()),
                stripe.active(),
                executor.isPaused(open),
                oldestTasks()
                        .filter(task -> task.key() == open)
                        .map(task -> shown.runningTask(task, KEY))
                        .findFirst()
                        .orElse(null),
                executor.parkedStripes().stream()
                        .filter(parked -> parked.stripe() == open)
                        .map(ParkedStripe::failure)
                        .map(shown::failure)
                        .findFirst()
                        .orElse(null),
                ShownExplanation.of(executor.explain(open, shown.stacks()), shown));
    }

    // what can be done

    @Override
    public void pauseKey(Object key) {
        executor.pause(key);
    }

    @Override
    public boolean resumeKey(Object key) {
        return executor.resume(key);
    }

    @Override
    public boolean skipKey(Object key) {
        return executor.skip(key);
    }

    @Override
    void setKeyCapacity(int keyCapacity) {
        executor.setStripeCapacity(keyCapacity);
    }

    @Override
    boolean hasKey(Object key) {
        return executor.snapshot(key).isPresent();
    }

    @Override
    Stream<Object> liveKeys() {
        return executor.deepestStripes(Integer.MAX_VALUE).stream().map(StripeSnapshot::stripe);
    }
}
