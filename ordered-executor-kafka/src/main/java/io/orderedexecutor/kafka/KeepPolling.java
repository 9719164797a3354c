package io.orderedexecutor.kafka;

import java.util.function.Consumer;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.errors.SerializationException;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * The container's error handler. It never seeks and never recovers: failures of records are handled where records run,
 * so what comes here is a failure of the consumer itself, which is tried again, or of handing out, which must not go
 * on.
 */
final class KeepPolling implements CommonErrorHandler {
    private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(KeepPolling.class));

    private final Consumer<Exception> handOutFailed;

    KeepPolling(Consumer<Exception> handOutFailed) {
        this.handOutFailed = handOutFailed;
    }

    /** The container would commit all that was polled. */
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
        logger.error(
                thrownException,
                () -> "Listener '" + container.getListenerId() + "': the consumer failed and goes on polling"
                        + (thrownException instanceof SerializationException
                                ? ", but cannot get past this record. With Spring's ErrorHandlingDeserializer around "
                                        + "the deserializer, the failure-policy decides what is done with it."
                                : ""));
    }

    @Override
    public void handleBatch(
            Exception thrownException,
            ConsumerRecords<?, ?> data,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        handOutFailed.accept(thrownException);
    }
}
