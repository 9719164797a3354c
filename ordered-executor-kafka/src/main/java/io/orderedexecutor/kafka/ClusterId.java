package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The id of the Kafka cluster. It is requested when a listener starts, and needed when the listener first commits. The
 * metadata of commits is bound to this id, since a mirrored cluster has other offsets. Commits have no metadata until
 * the id is known. A failed request is repeated, but not before {@link #ASK_AGAIN_AFTER} has passed. Thread-safe.
 */
final class ClusterId implements Supplier<@Nullable String> {
    private static final SafeLog logger = SafeLog.of(ClusterId.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(30);

    private final Supplier<CompletableFuture<String>> ask;
    private final LongSupplier nanoTime;
    private final Duration patience;
    private final AtomicReference<Question> current;

    /** The time until which calls wait for the id; null before the first call. */
    private final AtomicReference<@Nullable Long> waitUntil = new AtomicReference<>();

    private final AtomicBoolean told = new AtomicBoolean();

    /** A request to the broker, and when it was sent. The thread that replaces a failed request sends the new one. */
    private record Question(CompletableFuture<String> id, long since) {}

    /**
     * Requests the id, without waiting for the answer.
     *
     * @param ask asks the broker, without waiting
     * @param nanoTime as {@link System#nanoTime()}
     * @param patience how long calls of {@link #get} wait for the id, from the first of them on
     */
    ClusterId(Supplier<CompletableFuture<String>> ask, LongSupplier nanoTime, Duration patience) {
        this.ask = ask;
        this.nanoTime = nanoTime;
        this.patience = patience;
        this.current = new AtomicReference<>(new Question(ask.get(), nanoTime.getAsLong()));
    }

    /**
     * Requests the id, without waiting for the answer.
     *
     * @param configuration of the consumers
     * @param overrides the properties that the listener overrides
     */
    static ClusterId ask(Map<String, Object> configuration, Properties overrides) {
        Map<String, Object> admin = new HashMap<>(configuration);
        overrides.stringPropertyNames().forEach(name -> admin.put(name, overrides.getProperty(name)));
        admin.keySet().retainAll(AdminClientConfig.configNames());
        admin.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        admin.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        return new ClusterId(() -> ask(admin), System::nanoTime, PATIENCE);
    }

    private static CompletableFuture<String> ask(Map<String, Object> configuration) {
        try {
            Admin client = Admin.create(configuration);
            CompletableFuture<String> id =
                    client.describeCluster().clusterId().toCompletionStage().toCompletableFuture();
            return id.whenCompleteAsync((found, failure) -> client.close(Duration.ZERO));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Returns the id, or null if it is not known. The first call waits, for a limited time, and so do those that begin
     * during that time: all consumers of a listener may need the id for the metadata of their partitions.
     */
    @Override
    public @Nullable String get() {
        CompletableFuture<String> id = question().id();
        long now = nanoTime.getAsLong();
        long left = Objects.requireNonNull(
                        waitUntil.updateAndGet(set -> set == null ? Long.valueOf(now + patience.toNanos()) : set))
                - now;
        try {
            return left > 0 ? id.get(left, TimeUnit.NANOSECONDS) : id.getNow(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            if (told.compareAndSet(false, true)) {
                logger.info(e, () -> "The id of the Kafka cluster is not known: commits have no metadata until it is");
            }
        } catch (RuntimeException e) {
            logger.debug(e, () -> "The id of the Kafka cluster is not known");
        }
        return null;
    }

    /** Returns the current request. If it has failed and is old enough, replaces it and sends a new one. */
    private Question question() {
        Question last = Objects.requireNonNull(current.get());
        if (!last.id().isCompletedExceptionally() || nanoTime.getAsLong() - last.since() < ASK_AGAIN_AFTER.toNanos()) {
            return last;
        }
        Question next = new Question(new CompletableFuture<>(), nanoTime.getAsLong());
        if (!current.compareAndSet(last, next)) {
            return Objects.requireNonNull(current.get());
        }
        var unused = ask.get().whenComplete((found, failure) -> {
            if (failure == null) {
                next.id().complete(found);
            } else {
                next.id().completeExceptionally(failure);
            }
        });
        return next;
    }
}
