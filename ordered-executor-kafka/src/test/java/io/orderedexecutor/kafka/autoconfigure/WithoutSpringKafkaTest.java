package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.StripedExecutor;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications that have this module and exclude Kafka: JVMs of their own, without the jars. */
@Timeout(180)
class WithoutSpringKafkaTest {
    private static final String SPRING_BOOT = "spring-boot-(starter-)?kafka.*";
    private static final String SPRING = "spring-kafka.*|" + SPRING_BOOT;

    @Test
    void withKafkaAllOfItIsThere() throws Exception {
        assertThat(outputWithout("nothing"))
                .contains("orderedKafkaMetrics")
                .contains("orderedKafkaEndpoint")
                .contains("orderedkafkaHealthIndicator");
    }

    @ParameterizedTest
    @ValueSource(strings = {SPRING_BOOT, SPRING, SPRING + "|kafka.*"})
    void theApplicationStartsWithoutAnyOfIt(String jars) throws Exception {
        assertThat(outputWithout(jars))
                .contains("stripedExecutor")
                .doesNotContain("orderedKafka")
                .doesNotContain("orderedkafka");
    }

    /** What the application says that is started without the jars whose names match. */
    private static String outputWithout(String jars) throws IOException, InterruptedException {
        List<String> left = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).getFileName().toString().matches(jars))
                .toList();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        String.join(File.pathSeparator, left),
                        Application.class.getName(),
                        "--spring.main.web-application-type=none",
                        "--spring.jmx.enabled=true",
                        "--management.endpoints.jmx.exposure.include=orderedkafka")
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            return output.substring(output.indexOf("Beans: "));
        } finally {
            process.destroyForcibly();
        }
    }

    /** It says which beans it has, and ends. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext application = SpringApplication.run(Application.class, arguments)) {
                application.getBean(StripedExecutor.class);
                System.out.println("Beans: " + Arrays.toString(application.getBeanDefinitionNames()));
            }
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }
}
