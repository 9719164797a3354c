package io.orderedexecutor.spring.autoconfigure;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the endpoint.
 *
 * @param showValues When to show stripes, groups, tasks, failure messages and stacks instead of masking them.
 * @param roles Roles that make a user authorized to be shown values. When empty, all authenticated users are
 *     authorized.
 */
@ConfigurationProperties("management.endpoint.orderedexecutors")
record OrderedExecutorsEndpointProperties(
        @DefaultValue("never") Show showValues,
        @DefaultValue Set<String> roles) {}
