package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.core.log.LogAccessor;

/**
 * The id of the cluster, asked once when a listener starts and needed when it first commits. Metadata is bound to it: a
 * mirrored cluster has other offsets. Where it cannot be told, commits have no metadata.
 */
final class ClusterId implements Supplier<@Nullable String> {
    private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(ClusterId.class));
    private static final long PATIENCE_SECONDS = 5;

    private final CompletableFuture<String> id;
    private final AtomicBoolean waited = new AtomicBoolean();

    private ClusterId(CompletableFuture<String> id) {
        this.id = id;
    }

    /**
     * Begins to ask.
     *
     * @param configuration of the consumers
     * @param overrides what the listener changes of it
     */
    static ClusterId ask(Map<String, Object> configuration, Properties overrides) {
        Map<String, Object> admin = new HashMap<>(configuration);
        overrides.stringPropertyNames().forEach(name -> admin.put(name, overrides.getProperty(name)));
        admin.keySet().retainAll(AdminClientConfig.configNames());
        admin.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        admin.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        try {
            Admin client = Admin.create(admin);
            CompletableFuture<String> id =
                    client.describeCluster().clusterId().toCompletionStage().toCompletableFuture();
            return new ClusterId(id.whenCompleteAsync((found, failure) -> client.close(Duration.ZERO)));
        } catch (RuntimeException e) {
            return new ClusterId(CompletableFuture.failedFuture(e));
        }
    }

    /** The id, or null if it is not known. Waits once, and not for long. */
    @Override
    public @Nullable String get() {
        try {
            boolean first = waited.compareAndSet(false, true);
            return first ? id.get(PATIENCE_SECONDS, TimeUnit.SECONDS) : id.getNow(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            logger.info(e, "The id of the Kafka cluster is not known yet: commits have no metadata until it is");
        } catch (ExecutionException e) {
            logger.info(
                    e, "The id of the Kafka cluster cannot be found: commits have no metadata until the next start");
        } catch (RuntimeException e) {
            logger.debug(e, "The id of the Kafka cluster is not known");
        }
        return null;
    }
}
