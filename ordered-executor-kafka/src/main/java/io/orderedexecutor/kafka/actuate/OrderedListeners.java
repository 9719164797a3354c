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
     * Returns the current listeners.
     *
     * @return the containers by the ids of their listeners
     */
    Map<String, OrderedMessageListenerContainer<?, ?>> byId();

    /**
     * Returns a view of the ordered listeners of a registry.
     *
     * @param registry the registry of {@code @KafkaListener} methods
     * @return the view, which reads the registry at each call
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
