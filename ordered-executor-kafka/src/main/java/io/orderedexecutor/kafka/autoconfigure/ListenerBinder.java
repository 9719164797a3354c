package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedMessageListenerContainer;

/** Adds something to each container before it is started, without which the module works, too. */
@FunctionalInterface
interface ListenerBinder {
    void bind(OrderedMessageListenerContainer<?, ?> container);
}
