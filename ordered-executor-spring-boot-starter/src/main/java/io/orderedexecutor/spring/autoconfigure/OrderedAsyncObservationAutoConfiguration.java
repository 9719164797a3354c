package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsyncObserver;
import io.orderedexecutor.spring.observation.OrderedAsyncObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration of observations of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync} calls.
 */
@AutoConfiguration(
        after = OrderedExecutorAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({OrderedExecutor.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnOrderedExecutors
@Conditional(OrderedAsyncObservationAutoConfiguration.OnObservations.class)
final class OrderedAsyncObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(OrderedAsyncObserver.class)
    OrderedAsyncObservations orderedAsyncObservations(
            ObservationRegistry registry, ObjectProvider<OrderedAsyncObservationConvention> conventions) {
        return new OrderedAsyncObservations(
                registry, conventions.orderedStream().toList());
    }

    /** Matches if calls are to be observed. */
    static final class OnObservations extends OnSwitch {

        OnObservations() {
            super(OrderedExecutorProperties.PREFIX + ".observations.enabled", false);
        }
    }
}
