package io.orderedexecutor.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;

/** All that the library configures, and none of what it does not need: that takes most of a start. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration({
    AopAutoConfiguration.class,
    EndpointAutoConfiguration.class,
    HealthContributorAutoConfiguration.class,
    MetricsAutoConfiguration.class,
    SimpleMetricsExportAutoConfiguration.class,
    OrderedExecutorAutoConfiguration.class,
    OrderedExecutorMetricsAutoConfiguration.class,
    OrderedExecutorsEndpointAutoConfiguration.class,
    OrderedExecutorsHealthContributorAutoConfiguration.class,
    OrderedTimelineEndpointAutoConfiguration.class,
    OrderedAsyncObservationAutoConfiguration.class
})
public @interface AllAutoConfigurations {}
