package io.orderedexecutor.spring.autoconfigure;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The whole configuration, unless {@code ordered-executor.enabled} is false. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnOrderedExecutors
@EnableConfigurationProperties(OrderedExecutorProperties.class)
@Import({
    ExecutorsConfiguration.class,
    OrderedAsyncConfiguration.class,
    OrderedTransactionsConfiguration.class,
    ExecutorsLifecycleConfiguration.class
})
class SwitchedOnConfiguration {}
