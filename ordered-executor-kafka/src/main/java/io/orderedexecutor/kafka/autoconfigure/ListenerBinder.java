package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;

/** Adds optional features, such as meters, to the containers and executors that this module creates. */
interface ListenerBinder {

    /** Called for each container, before it is started. */
    void bind(OrderedMessageListenerContainer<?, ?> container);

    /** Called for each executor that belongs to one listener. Executors that are beans have the features already. */
    void bindOwn(StripedExecutor executor);
}
