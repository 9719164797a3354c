package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;

/** Adds something to what the module makes, without which it works, too. */
interface ListenerBinder {

    /** For each container, before it is started. */
    void bind(OrderedMessageListenerContainer<?, ?> container);

    /** For each executor that is a listener's own. Those that are beans have it already. */
    void bindOwn(StripedExecutor executor);
}
