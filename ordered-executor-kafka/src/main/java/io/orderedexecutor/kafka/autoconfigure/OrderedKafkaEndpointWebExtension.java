package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.ParkedAction;
import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.convert.ConversionFailedException;

/**
 * The actions of the endpoint over HTTP. The answer to a refused request gives the reason. Parameters are text here:
 * otherwise Spring Boot would refuse a value of the wrong type without a reason.
 */
// registered by hand, since no response type names this class
@RegisterReflectionForBinding(OrderedKafkaEndpointWebExtension.RefusalDescriptor.class)
@EndpointWebExtension(endpoint = OrderedKafkaEndpoint.class)
final class OrderedKafkaEndpointWebExtension {
    private final OrderedKafkaEndpoint delegate;

    OrderedKafkaEndpointWebExtension(OrderedKafkaEndpoint delegate) {
        this.delegate = delegate;
    }

    /**
     * Ends the parking of a record; see {@link OrderedKafkaEndpoint#act}.
     *
     * @param listener the id of the listener
     * @param partition the partition, as {@code orders-3}
     * @param offset a whole number
     * @param action {@code resume}, {@code dead-letter} or {@code skip}
     * @return the action, or a {@link RefusalDescriptor}
     */
    @WriteOperation
    WebEndpointResponse<?> act(
            @Selector String listener, @Selector String partition, @Selector String offset, @Nullable String action) {
        try {
            return new WebEndpointResponse<>(delegate.act(listener, partition, offsetOf(offset), actionOf(action)));
        } catch (InvalidEndpointRequestException refusal) {
            return new WebEndpointResponse<>(
                    new RefusalDescriptor(String.valueOf(refusal.getMessage())),
                    WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private static long offsetOf(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw invalid("'" + text + "' is no offset: it must be a whole number", e);
        }
    }

    private static ParkedAction actionOf(@Nullable String text) {
        try {
            ParkedAction action =
                    ApplicationConversionService.getSharedInstance().convert(text, ParkedAction.class);
            if (action != null) {
                return action;
            }
        } catch (ConversionFailedException unknown) {
            throw invalid("action is '" + text + "', but must be resume, dead-letter or skip", unknown);
        }
        throw invalid("There is no action: it must be resume, dead-letter or skip", null);
    }

    private static InvalidEndpointRequestException invalid(String reason, @Nullable Throwable cause) {
        return new InvalidEndpointRequestException(reason, reason, cause);
    }

    /**
     * The answer to a request that is refused.
     *
     * @param message what is wrong with the request
     */
    record RefusalDescriptor(String message) {}
}
