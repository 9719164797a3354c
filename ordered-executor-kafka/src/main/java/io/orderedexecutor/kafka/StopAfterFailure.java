package io.orderedexecutor.kafka;

import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.errors.RetriableException;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * The container's error handler. It never seeks and never recovers. Failures of records are handled where records run,
 * so all failures here are those of the consumer itself, or of the hand-out. They stop the container, unless Kafka says
 * that another attempt may succeed. Otherwise the container would poll again at once: a permanent failure would fill
 * the log, and never show in the health.
 */
final class StopAfterFailure implements CommonErrorHandler {
    private static final SafeLog logger = SafeLog.of(StopAfterFailure.class);

    private final Consumer<Exception> stop;

    StopAfterFailure(Consumer<Exception> stop) {
        this.stop = stop;
    }

    /** Returns false: otherwise the container would commit all records that were polled. */
    @Override
    public boolean isAckAfterHandle() {
        return false;
    }

    @Override
    public void handleOtherException(
            Exception thrownException,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
            MessageListenerContainer container,
            boolean batchListener) {
        if (thrownException instanceof RetriableException) {
            logger.warn(
                    thrownException,
                    () -> "Listener '" + container.getListenerId() + "': a poll failed, and is tried again");
        } else {
            stop.accept(thrownException);
        }
    }

    @Override
    public void handleBatch(
            Exception thrownException,
            ConsumerRecords<?, ?> data,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        stop.accept(thrownException);
    }
}
