package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.SerializationUtils;

/**
 * Finds what a record belongs to: its key, or the value of an expression. What has none, or cannot be read, keeps the
 * order of its partition. Called on the consumer thread.
 */
final class RecordStripe {
    private static final LogAccessor logger = new LogAccessor(LogFactory.getLog(RecordStripe.class));

    private final NullKey nullKey;
    private final @Nullable Function<ConsumerRecord<?, ?>, @Nullable Object> expression;
    private final String listener;
    private final AtomicBoolean toldNullKey = new AtomicBoolean();

    /**
     * Creates it for one listener.
     *
     * @param expression null for the record's key
     * @param listener how messages call it
     */
    RecordStripe(
            NullKey nullKey, @Nullable Function<ConsumerRecord<?, ?>, @Nullable Object> expression, String listener) {
        this.nullKey = nullKey;
        this.expression = expression;
        this.listener = listener;
    }

    /**
     * Where a record runs.
     *
     * @param stripe what it belongs to
     * @param unusable why it cannot be run at all, or null
     */
    record Place(Object stripe, @Nullable Exception unusable) {}

    Place of(ConsumerRecord<?, ?> record, TopicPartition partition) {
        DeserializationException noKey = deserializationFailure(record, true);
        if (noKey != null) {
            byte[] raw = noKey.getData();
            return new Place(raw == null ? partition : new ArrayKey(raw), noKey);
        }
        DeserializationException noValue = deserializationFailure(record, false);
        try {
            if (expression == null || noValue != null) {
                // an expression may need the value: the key is the best that is known then
                return new Place(ofKey(record.key(), partition), noValue);
            }
            Object value = expression.apply(record);
            return value == null
                    ? new Place(partition, new InvalidRecordKeyException("the expression of the stripe is null", null))
                    : new Place(comparable(value), null);
        } catch (RuntimeException e) {
            return new Place(partition, new InvalidRecordKeyException("the stripe cannot be told", e));
        }
    }

    private Object ofKey(@Nullable Object key, TopicPartition partition) {
        if (key != null) {
            return comparable(key);
        }
        if (toldNullKey.compareAndSet(false, true)) {
            logger.warn(() -> "Listener '" + listener + "' receives records without a key. They run "
                    + (nullKey == NullKey.PARTITION ? "one after another in each partition" : "in no order")
                    + "; null-key tells which.");
        }
        return nullKey == NullKey.PARTITION ? partition : new Object();
    }

    /**
     * Arrays are equal only to themselves: as keys they would order nothing. A key whose hash fails must fail here, and
     * not in the executor.
     */
    private static Object comparable(Object key) {
        Object stripe = key.getClass().isArray() ? new ArrayKey(key) : key;
        int unused = stripe.hashCode();
        return stripe;
    }

    private static @Nullable DeserializationException deserializationFailure(
            ConsumerRecord<?, ?> record, boolean ofKey) {
        Object read = ofKey ? record.key() : record.value();
        if (read instanceof DeserializationException failure) {
            return failure;
        }
        String header =
                ofKey ? KafkaUtils.KEY_DESERIALIZER_EXCEPTION_HEADER : KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER;
        return read == null && record.headers().lastHeader(header) != null
                ? SerializationUtils.getExceptionFromHeader(record, header, logger)
                : null;
    }

    /** A record whose place cannot be told. */
    static final class InvalidRecordKeyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidRecordKeyException(String message, @Nullable Throwable cause) {
            super(cause == null ? message : message + ": " + cause.getMessage(), cause);
        }
    }

    /** An array, compared by its content, as of now. */
    private static final class ArrayKey {
        private final Object array;
        private final int hash;

        ArrayKey(Object array) {
            this.array = array;
            this.hash = Arrays.deepHashCode(new Object[] {array});
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ArrayKey that && hash == that.hash && Objects.deepEquals(array, that.array);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public String toString() {
            return array.getClass().getComponentType() + "[" + Array.getLength(array) + "]#"
                    + Integer.toHexString(hash);
        }
    }
}
