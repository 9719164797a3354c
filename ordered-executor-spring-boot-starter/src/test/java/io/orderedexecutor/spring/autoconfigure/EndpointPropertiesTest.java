package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

/** A property of an endpoint that is misspelt: it may have been meant to protect what the endpoint shows. */
class EndpointPropertiesTest {
    private final ApplicationContextRunner notExposed = new ApplicationContextRunner()
            .withInitializer(
                    context -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    OrderedExecutorsEndpointAutoConfiguration.class,
                    OrderedTimelineEndpointAutoConfiguration.class));
    private final ApplicationContextRunner exposed =
            notExposed.withPropertyValues("management.endpoints.jmx.exposure.include=*", "spring.jmx.enabled=true");

    @ParameterizedTest
    @CsvSource({
        "orderedexecutors.acces, none, access",
        "orderedexecutors.show-value, always, show-values",
        "orderedexecutors.role, admin, roles",
        "orderedexecutors.cache.time-to-life, 1s, cache.time-to-live",
        "orderedtimeline.acces, none, access"
    })
    void aMisspeltOneFailsTheStart(String property, String value, String meant) {
        String full = "management.endpoint." + property;
        for (ApplicationContextRunner contexts : new ApplicationContextRunner[] {exposed, notExposed}) {
            contexts.withPropertyValues(full + "=" + value)
                    .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                            .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                            .hasMessageContaining(full)
                            .hasMessageContaining("There is no such property. Did you mean '" + meant + "'? The"
                                    + " properties under management.endpoint.ordered"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orderedexecutors.access=none",
                "orderedexecutors.access=unrestricted",
                "orderedexecutors.showValues=when-authorized",
                "orderedexecutors.roles=admin",
                "orderedexecutors.roles[0]=admin",
                "orderedexecutors.cache.timeToLive=1s",
                "orderedtimeline.access=read-only",
                "orderedexecutorsofmine.acces=none",
                "health.acces=none"
            })
    void othersAreAccepted(String property) {
        exposed.withPropertyValues("management.endpoint." + property)
                .run(context -> assertThat(context).hasNotFailed());
        exposed.withSystemProperties("management.endpoint.orderedexecutors.acces=none")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
