package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a person sees who starts an application: all of Spring Boot, nothing put together by the test. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpReportTest {

    @Test
    void wrongPropertiesAreExplained(CapturedOutput output) {
        assertThatThrownBy(() -> start(Application.class, "--ordered-executor.striped.orders.thread=4"));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value '4' for configuration property 'ordered-executor.striped.orders.thread'")
                .contains("(originating from '\"ordered-executor.striped.orders.thread\" from property source"
                        + " \"commandLineArgs\"')")
                .contains("There is no such property. Did you mean 'threads'?")
                .contains("The settings of a striped executor are key-capacity, failure-policy,")
                .doesNotContain("\tat ");
    }

    @Test
    void wrongDeclarationsAreExplained(CapturedOutput output) {
        assertThatThrownBy(() -> start(Wrong.class));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Orders.book(String) has the stripe \"#cutomer\", in which the variable #cutomer is unknown.")
                .contains("Use one of #customer, #p0, #a0.")
                .doesNotContain("\tat ");
    }

    @Test
    void aRightApplicationStartsWithAllItsParts() {
        try (ConfigurableApplicationContext application = start(
                Application.class, "--management.endpoints.jmx.exposure.include=*", "--spring.jmx.enabled=true")) {
            assertThat(application.getBeanDefinitionNames())
                    .contains(
                            "stripedExecutor",
                            "groupedExecutor",
                            "orderedAsyncPostProcessor",
                            "orderedExecutorMetrics",
                            "orderedExecutorsEndpoint",
                            "orderedexecutorsHealthContributor",
                            "applicationTaskExecutor");
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... arguments) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Wrong {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @OrderedAsync(stripe = "#cutomer")
        public void book(String customer) {}
    }
}
