package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.spring.actuate.OrderedExecutorsEndpoint.ExecutorDescriptor;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP, where it is known who asks. */
@EndpointWebExtension(endpoint = OrderedExecutorsEndpoint.class)
public final class OrderedExecutorsEndpointWebExtension {
    private final OrderedExecutorsEndpoint delegate;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * Creates an extension.
     *
     * @param delegate the endpoint
     * @param showValues to whom stripes and groups are shown
     * @param roles the roles that make a user authorized; any user who is logged in is, if there are none
     */
    public OrderedExecutorsEndpointWebExtension(OrderedExecutorsEndpoint delegate, Show showValues, Set<String> roles) {
        this.delegate = delegate;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
    }

    /**
     * Shows one executor.
     *
     * @param securityContext who asks
     * @param name the name of the executor
     * @param limit how many of the deepest stripes or groups to show, 1 to 1000; 10 if it is null
     * @return the executor, or status 404 if there is none of that name
     */
    @ReadOperation
    public WebEndpointResponse<ExecutorDescriptor> executor(
            SecurityContext securityContext, @Selector String name, @Nullable Integer limit) {
        boolean showKeys = showValues.isShown(securityContext, roles);
        ExecutorDescriptor executor = delegate.executor(name, limit, showKeys);
        return executor == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(executor);
    }
}
