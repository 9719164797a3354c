package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of ordered executors, of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync},
 * and of their drain on shutdown.
 *
 * <p>Other auto-configurations and tests refer to this one. The auto-configurations of meters, health, endpoints and
 * observations are not public; {@code excludeName} and {@code spring.autoconfigure.exclude} take their names.
 */
// after validation: our post-processor inserts its advice ahead of the advice that is already on the proxy, so the
// validation post-processor must have run before
@AutoConfiguration(afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@ConditionalOnClass(OrderedExecutor.class)
@Import({SwitchedOnConfiguration.class, UnorderedMethodsConfiguration.class})
public final class OrderedExecutorAutoConfiguration {}
