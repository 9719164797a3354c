package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.fixtures.SmallApplication;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Applications that exclude what the starter brings: JVMs of their own, without the jars. */
@Timeout(180)
class MissingModulesTest {
    private static final String ACTUATOR = "spring-boot-(starter-)?(actuator|health).*";

    /** Spring MVC itself cannot be without the module of observations. */
    private static final String METRICS =
            "(micrometer-(core|jakarta9)|HdrHistogram|spring-boot-(starter-)?micrometer-metrics).*";

    private static final String MICROMETER =
            "(micrometer-|context-propagation|HdrHistogram|spring-boot-(starter-)?micrometer).*";
    private static final String WEB =
            "(spring-web|spring-boot-(starter-)?(web|servlet|tomcat|http-converter|resttestclient)|tomcat-).*";
    private static final String TRANSACTIONS = "spring-(tx|jdbc|data|orm).*";
    private static final String JACKSON = "(jackson-|spring-boot-(starter-)?jackson).*";
    private static final String TESTS =
            "(spring-test|spring-boot-(starter-)?test|spring-tx|mockito|assertj|archunit|awaitility|json-path).*";

    @Test
    void allModules() throws Exception {
        assertThat(outputWithout("nothing"))
                .contains("orderedExecutorsEndpoint")
                .contains("orderedExecutorMetrics");
    }

    @Test
    void withoutTheActuator() throws Exception {
        assertThat(outputWithout(ACTUATOR)).doesNotContain("orderedExecutorsEndpoint");
    }

    @Test
    void withoutMicrometer() throws Exception {
        assertThat(outputWithout(METRICS))
                .contains("orderedExecutorsEndpoint")
                .doesNotContain("orderedExecutorMetrics");
    }

    @Test
    void withoutSpringMvc() throws Exception {
        assertThat(outputWithout(WEB)).contains("orderedExecutorsEndpoint").contains("orderedExecutorMetrics");
    }

    @Test
    void withoutTransactions() throws Exception {
        assertThat(outputWithout(TRANSACTIONS))
                .contains("orderedExecutorsEndpoint")
                .contains("orderedExecutorMetrics");
    }

    @Test
    void withNothingButSpringBootItself() throws Exception {
        assertThat(outputWithout(ACTUATOR + "|" + MICROMETER + "|" + WEB + "|" + JACKSON + "|" + TESTS))
                .doesNotContain("orderedExecutorsEndpoint")
                .doesNotContain("orderedExecutorMetrics");
    }

    /** What the application says that is started without the jars whose names match. */
    private static String outputWithout(String jars) throws IOException, InterruptedException {
        List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
        List<String> left = all.stream()
                .filter(entry -> !Path.of(entry).getFileName().toString().matches(jars))
                .toList();
        assertThat(left.size()).as("jars that are left out").satisfies(size -> {
            if (!jars.equals("nothing")) {
                assertThat(size).isLessThan(all.size());
            }
        });
        Process process = new ProcessBuilder(Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                String.join(File.pathSeparator, left),
                                SmallApplication.class.getName(),
                                "--server.port=0",
                                "--ordered-executor.striped.pooled.executor=applicationTaskExecutor",
                                "--spring.jmx.enabled=true",
                                "--management.endpoints.jmx.exposure.include=*")
                        .toList())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            assertThat(output)
                    .contains("Call made on ordered-executor-")
                    .contains("Total made on ordered-executor-")
                    .contains("orderedAsyncPostProcessor")
                    .containsPattern("Threads before the first call: \\[.*main.*]")
                    .doesNotContainPattern("Threads before the first call: .*(striped|grouped)Executor-")
                    .doesNotContain("WARN");
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
