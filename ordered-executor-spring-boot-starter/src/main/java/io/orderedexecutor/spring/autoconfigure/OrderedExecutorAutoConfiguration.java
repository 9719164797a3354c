package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of ordered executors, of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync}, and of
 * their drain on shutdown.
 */
@AutoConfiguration
@ConditionalOnClass(StripedExecutor.class)
@ConditionalOnOrderedExecutors
@EnableConfigurationProperties(OrderedExecutorProperties.class)
@Import({StripedExecutorConfiguration.class, OrderedAsyncConfiguration.class, ExecutorsLifecycleConfiguration.class})
public final class OrderedExecutorAutoConfiguration {}
