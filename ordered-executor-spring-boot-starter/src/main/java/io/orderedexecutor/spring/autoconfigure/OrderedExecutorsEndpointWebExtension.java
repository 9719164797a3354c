package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.AnyKeyDescriptor;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint over HTTP, where the user is known. The answer to a refused request gives the reason. Parameters are
 * text here: otherwise Spring Boot would refuse a value of the wrong type without a reason.
 */
// registered by hand, since no response type names this class
@RegisterReflectionForBinding(OrderedExecutorsEndpointWebExtension.RefusalDescriptor.class)
@EndpointWebExtension(endpoint = OrderedExecutorsEndpoint.class)
final class OrderedExecutorsEndpointWebExtension {
    private final OrderedExecutorsEndpoint delegate;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * Creates an extension.
     *
     * @param delegate the endpoint
     * @param showValues when values are shown
     * @param roles the roles that authorize a user; if empty, every authenticated user is authorized
     */
    OrderedExecutorsEndpointWebExtension(OrderedExecutorsEndpoint delegate, Show showValues, Set<String> roles) {
        this.delegate = delegate;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /**
     * Shows one executor.
     *
     * @param securityContext identifies the caller
     * @param name the name of the executor
     * @param limit the maximum length of each list, 1 to 1000; 10 if it is null
     * @param stacks whether to show stacks, {@code true} or {@code false}
     * @return the executor, or a {@link RefusalDescriptor}
     */
    @ReadOperation
    WebEndpointResponse<?> executor(
            SecurityContext securityContext, @Selector String name, @Nullable String limit, @Nullable String stacks) {
        return answer(() -> new WebEndpointResponse<>(delegate.executor(
                name,
                Parameter.wholeNumber("limit", limit),
                Parameter.trueOrFalse("stacks", stacks),
                isShownTo(securityContext))));
    }

    /**
     * Shows one key or output.
     *
     * @param securityContext identifies the caller
     * @param name the name of the executor
     * @param key the key as text, in pieces that slashes separate
     * @param limit the maximum length of each list, 1 to 1000; 10 if it is null
     * @param stacks whether to show stacks, {@code true} or {@code false}
     * @return the key or output, or a {@link RefusalDescriptor}
     */
    @ReadOperation
    WebEndpointResponse<?> key(
            SecurityContext securityContext,
            @Selector String name,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] key,
            @Nullable String limit,
            @Nullable String stacks) {
        return answer(() -> new WebEndpointResponse<>(delegate.key(
                name,
                key,
                Parameter.wholeNumber("limit", limit),
                Parameter.trueOrFalse("stacks", stacks),
                isShownTo(securityContext))));
    }

    /**
     * Changes an executor; see {@link OrderedExecutorsEndpoint#change}.
     *
     * @param name its name
     * @param action {@code pause} or {@code resume}
     * @param threads a whole number
     * @param capacity a whole number
     * @param keyCapacity a whole number
     * @return the executor after the change, or a {@link RefusalDescriptor}
     */
    @WriteOperation
    WebEndpointResponse<?> change(
            @Selector String name,
            @Nullable String action,
            @Nullable String threads,
            @Nullable String capacity,
            @Nullable String keyCapacity) {
        return answer(() -> new WebEndpointResponse<>(delegate.change(
                name,
                action,
                Parameter.wholeNumber("threads", threads),
                Parameter.wholeNumber("capacity", capacity),
                Parameter.wholeNumber("keyCapacity", keyCapacity))));
    }

    /**
     * Steers one key; see {@link OrderedExecutorsEndpoint#steer}.
     *
     * @param securityContext identifies the caller
     * @param name the name of its executor
     * @param key the key as text, in pieces that slashes separate
     * @param action {@code pause}, {@code resume} or {@code skip}
     * @return the key after the change, status 204 if it has no tasks any more and is not paused, or a
     *     {@link RefusalDescriptor}
     */
    @WriteOperation
    WebEndpointResponse<?> steer(
            SecurityContext securityContext,
            @Selector String name,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] key,
            @Nullable String action) {
        return answer(() -> {
            AnyKeyDescriptor left = delegate.steer(name, key, action, isShownTo(securityContext));
            return left == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                    : new WebEndpointResponse<>(left);
        });
    }

    private boolean isShownTo(SecurityContext securityContext) {
        return showValues.isShown(securityContext, roles);
    }

    private static WebEndpointResponse<?> answer(Supplier<WebEndpointResponse<?>> request) {
        try {
            return request.get();
        } catch (Refusal refusal) {
            return new WebEndpointResponse<>(new RefusalDescriptor(refusal.message()), refusal.status());
        }
    }

    /**
     * The answer to a request that is refused.
     *
     * @param message what is wrong with the request
     */
    record RefusalDescriptor(String message) {}
}
