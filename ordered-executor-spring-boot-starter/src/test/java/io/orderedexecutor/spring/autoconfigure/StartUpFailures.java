package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.support.SystemEnvironmentPropertySourceEnvironmentPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What Spring Boot prints when the start of an application fails. */
final class StartUpFailures {

    private StartUpFailures() {}

    /** What all failure analyzers there are, the first that has something to say, make of a failure. */
    static String reportOf(ConfigurableApplicationContext context, Throwable failure) {
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                .and(org.springframework.core.env.Environment.class, context.getEnvironment());
        FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
                // some are for libraries that are not there
                .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, cause) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("not analyzed", failure));
        return analysis.getDescription() + "\n" + analysis.getAction();
    }

    /** The report of an application that cannot start with these properties. */
    static String reportOf(ApplicationContextRunner contexts) {
        ConfigurableApplicationContext[] started = new ConfigurableApplicationContext[1];
        String[] report = new String[1];
        contexts.withInitializer(context -> started[0] = context).run(context -> {
            assertThat(context).hasFailed();
            report[0] = reportOf(started[0], context.getStartupFailure());
        });
        return report[0];
    }

    static ApplicationContextRunner withYaml(ApplicationContextRunner contexts, String yaml) {
        return contexts.withInitializer(context -> {
            ByteArrayResource file = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)) {
                @Override
                public String getDescription() {
                    return "application.yml";
                }
            };
            try {
                new YamlPropertySourceLoader()
                        .load("application.yml", file)
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Replaces the variables of the process, as Spring Boot has them. */
    static ApplicationContextRunner withVariables(ApplicationContextRunner contexts, Map<String, Object> variables) {
        return contexts.withInitializer(context -> {
            String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
            context.getEnvironment()
                    .getPropertySources()
                    .replace(name, new SystemEnvironmentPropertySource(name, variables));
            new SystemEnvironmentPropertySourceEnvironmentPostProcessor()
                    .postProcessEnvironment(context.getEnvironment(), new SpringApplication());
        });
    }
}
