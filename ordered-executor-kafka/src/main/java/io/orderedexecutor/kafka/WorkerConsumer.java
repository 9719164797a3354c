package io.orderedexecutor.kafka;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * The consumer that listeners and interceptors see on a worker. A Kafka consumer belongs to the thread that polls it,
 * and this thread goes on polling. So all methods except {@code metrics()} are always refused, instead of failing now
 * and then.
 */
final class WorkerConsumer {
    private WorkerConsumer() {}

    @SuppressWarnings("unchecked")
    static <K, V> Consumer<K, V> of(Consumer<?, ?> consumer) {
        return (Consumer<K, V>) Proxy.newProxyInstance(
                WorkerConsumer.class.getClassLoader(),
                new Class<?>[] {Consumer.class},
                (proxy, method, arguments) -> invoke(consumer, proxy, method, arguments));
    }

    private static Object invoke(Consumer<?, ?> consumer, Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "consumer of " + consumer + ", as seen on a worker";
            case "metrics" -> consumer.metrics();
            default ->
                throw new UnsupportedOperationException("Consumer." + method.getName()
                        + " cannot be used here: the records of an ordered listener run on other "
                        + "threads than the one that polls, to which the"
                        + " consumer belongs. Use the listener container to pause, resume or stop, and "
                        + "ConsumerSeekAware to seek.");
        };
    }
}
