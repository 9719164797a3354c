package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** A program that ends when its work is done, as the guide shows it. */
class CommandLineTest {
    private static final int TASKS = 1_000;

    @Test
    @DisplayName("a command-line program ends with its last task, and not when idle threads end")
    void endsWithItsLastTask(@TempDir Path directory) throws IOException, InterruptedException {
        File output = directory.resolve("output").toFile();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        "--spring.main.web-application-type=none")
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("has ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(output.toPath()))
                .contains("imported " + (TASKS - 1))
                .doesNotContain("was stopped before it was done");
    }

    /** Its {@code main} is what the other JVM runs. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application implements CommandLineRunner {
        private final StripedExecutor executor;

        Application(StripedExecutor executor) {
            this.executor = executor;
        }

        /** Starts it. */
        public static void main(String[] args) {
            System.exit(SpringApplication.exit(SpringApplication.run(Application.class, args)));
        }

        @Override
        public void run(String... args) {
            for (int i = 0; i < TASKS; i++) {
                int number = i;
                executor.execute("orders", () -> System.out.println("imported " + number));
            }
        }
    }
}
