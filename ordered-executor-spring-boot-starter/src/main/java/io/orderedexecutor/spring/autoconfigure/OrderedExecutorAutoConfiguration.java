package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of ordered executors, of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync},
 * and of their drain on shutdown.
 */
@AutoConfiguration
@ConditionalOnClass(OrderedExecutor.class)
@Import({SwitchedOnConfiguration.class, UnorderedMethodsConfiguration.class})
public final class OrderedExecutorAutoConfiguration {}
