package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.BatcherBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Joins the calls of one method that wait for the same stripe. */
final class CollectingSubmitter implements TaskSubmitter {
    private final TaskSubmitter.ByStripe byStripe;
    private final Collecting collecting;

    /** Built by the first call, under the lock. Building it earlier would create the executor too early. */
    private volatile @Nullable Batcher<Object, CollectedCall> batcher;

    CollectingSubmitter(TaskSubmitter.ByStripe byStripe, Collecting collecting) {
        this.byStripe = byStripe;
        this.collecting = collecting;
    }

    @Override
    public CompletableFuture<@Nullable Object> submit(
            @Nullable Object[] arguments, Function<@Nullable Object[], Invocation> call) {
        // both are checked first, since they are mistakes of the caller, whatever the state of the executor
        Object key = byStripe.key(arguments);
        @Nullable Object[] copied = collecting.withCopiedList(arguments);
        CollectedCall collected = new CollectedCall(call.apply(copied), collecting, copied);
        return collected.call().observed(() -> {
            StripedExecutor striped = byStripe.executors().get(byStripe.executor());
            Batcher<Object, CollectedCall> items = batcher(striped);
            return collected.follow(TaskSubmitter.withoutWaiting(
                    striped,
                    byStripe.ownOverflow(),
                    overflow -> (overflow == null ? items : items.with(overflow)).submit(key, collected)));
        });
    }

    private Batcher<Object, CollectedCall> batcher(StripedExecutor striped) {
        Batcher<Object, CollectedCall> known = batcher;
        if (known == null) {
            synchronized (this) {
                known = batcher;
                if (known == null) {
                    known = build(striped);
                    batcher = known;
                }
            }
        }
        return known;
    }

    private Batcher<Object, CollectedCall> build(StripedExecutor striped) {
        BatcherBuilder<Object, CollectedCall> builder = striped.<Object, CollectedCall>batchToAsync(
                        (stripe, calls) -> new CollectedRun(collecting, calls).start())
                .maxBatch(collecting.maxBatch())
                .weigher(call -> call.part().size())
                .batchKey(CollectedCall::companions)
                .linger(collecting.linger());
        return builder.build();
    }

    @Override
    public Places placesFor(@Nullable Object[] arguments) {
        return byStripe.placesFor(arguments);
    }

    @Override
    public Overflow overflow() {
        return byStripe.overflow();
    }

    @Override
    public KeySpace space() {
        return byStripe.space();
    }

    @Override
    public Set<Class<?>> keyTypes() {
        return byStripe.keyTypes();
    }

    @Override
    public ExecutorBeans.Reported executorReported() {
        return byStripe.executorReported();
    }
}
