package io.orderedexecutor.kafka;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.SerializationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the key by which a record is ordered: its own key, or the value of an expression. A record without a key, or
 * whose key cannot be determined, keeps the order of its partition. Called on the consumer thread.
 */
final class RecordKey {
    private static final SafeLog logger = SafeLog.of(RecordKey.class);

    /**
     * Tells for each class whether its instances are equal only to themselves, and so are useless as keys. False for
     * enum constants and classes, each of which exists only once.
     */
    private static final ClassValue<Boolean> EQUAL_ONLY_TO_ITSELF = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            Method equals = ReflectionUtils.findMethod(type, "equals", Object.class);
            return equals != null
                    && equals.getDeclaringClass() == Object.class
                    && !Enum.class.isAssignableFrom(type)
                    && type != Class.class;
        }
    };

    private final @Nullable Function<ConsumerRecord<?, ?>, @Nullable Object> expression;
    private final String listener;
    private final AtomicBoolean toldNullKey = new AtomicBoolean();
    private final AtomicBoolean toldIdentity = new AtomicBoolean();

    /**
     * Creates the keys of one listener.
     *
     * @param expression returns the key of a record; null for the record's own key
     * @param listener the name of the listener in messages
     */
    RecordKey(@Nullable Function<ConsumerRecord<?, ?>, @Nullable Object> expression, String listener) {
        this.expression = expression;
        this.listener = listener;
    }

    /**
     * The place of a record in the executor.
     *
     * @param key the key by which the record is ordered
     * @param unusable the reason why the record cannot be run at all, or null
     */
    record Place(Object key, @Nullable Exception unusable) {}

    Place of(ConsumerRecord<?, ?> record, TopicPartition partition) {
        DeserializationException noKey = deserializationFailure(record, true);
        if (noKey != null) {
            byte[] raw = noKey.getData();
            return new Place(raw == null ? partition : ContentKey.of(raw), noKey);
        }
        DeserializationException noValue = deserializationFailure(record, false);
        try {
            if (expression == null || noValue != null) {
                // an expression may need the value, so the record's own key is the best that is known
                return new Place(ofKey(record.key(), partition), noValue);
            }
            Object value = expression.apply(record);
            return value == null
                    ? new Place(partition, new InvalidRecordKeyException("the expression of the key is null", null))
                    : new Place(comparable(value), null);
        } catch (Throwable e) { // a checked one too: not all languages declare them
            if (e instanceof VirtualMachineError && !(e instanceof StackOverflowError)) {
                // this is not a failure of the record, so the record must not be given up: the container stops. But a
                // stack overflow is a failure of the record: the hash of a list that contains itself never ends
                throw e;
            }
            return new Place(
                    partition, new InvalidRecordKeyException("the key cannot be determined", SafeLog.printable(e)));
        }
    }

    private Object ofKey(@Nullable Object key, TopicPartition partition) {
        if (key != null) {
            return comparable(key);
        }
        if (toldNullKey.compareAndSet(false, true)) {
            logger.warn(() -> "Listener '" + listener + "' receives records without a key. They run one after another"
                    + " in each partition. To run them in no order, write"
                    + " @OrderedByKey(key = \"#key ?: #record.offset()\").");
        }
        return partition;
    }

    /**
     * Returns a key that is compared by its content. Computes its hash once, so that a hash that throws fails here and
     * not in the executor.
     */
    private Object comparable(Object key) {
        Object comparable = ContentKey.of(key);
        int unused = comparable.hashCode();
        if (isEqualOnlyToItself(comparable.getClass()) && toldIdentity.compareAndSet(false, true)) {
            logger.warn(() -> "Listener '" + listener + "' receives records whose key is a "
                    + comparable.getClass().getName() + ", a class without equals: no two of them are equal, so these "
                    + "records run in no order. Give the class equals and hashCode, or set the key of "
                    + "@OrderedByKey to something that has them.");
        }
        return comparable;
    }

    private static boolean isEqualOnlyToItself(Class<?> type) {
        return EQUAL_ONLY_TO_ITSELF.get(type);
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

    /** Thrown or stored when the key of a record cannot be determined. */
    static final class InvalidRecordKeyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidRecordKeyException(String message, @Nullable Throwable cause) {
            super(cause == null ? message : message + ": " + cause.getMessage(), cause);
        }
    }
}
