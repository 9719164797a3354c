package io.orderedexecutor.kafka.actuate;

import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;

/** The ordered listeners of an application, by their ids. */
@FunctionalInterface
public interface OrderedListeners {

    /**
     * Returns the listeners of this moment.
     *
     * @return the containers by the ids of their listeners
     */
    Map<String, OrderedMessageListenerContainer<?, ?>> byId();

    /**
     * Returns the ordered ones of the listeners that are registered.
     *
     * @param registry where {@code @KafkaListener} methods are registered
     * @return asks the registry each time
     */
    static OrderedListeners of(KafkaListenerEndpointRegistry registry) {
        return () -> {
            Map<String, OrderedMessageListenerContainer<?, ?>> byId = new TreeMap<>();
            for (MessageListenerContainer container : registry.getAllListenerContainers()) {
                if (container instanceof OrderedMessageListenerContainer<?, ?> ordered) {
                    byId.put(String.valueOf(container.getListenerId()), ordered);
                }
            }
            return byId;
        };
    }
}
