package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

/** A task that ends its own JVM: the hook that closes the application does not wait for it. */
class EndedByATaskTest {
    private static final int CODE = 7;

    @Test
    @DisplayName("System.exit in a task: other keys end their tasks, and nobody waits for the rest of the phase")
    void exit() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ending.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(CODE);
        assertThat(output)
                .containsOnlyOnce("the other task has ended")
                .doesNotContain("the task behind has run")
                .contains("is paused, parked, or waits for the task that stops the application:"
                        + " ordered-executor (1 queued, 1 active)")
                .contains("was stopped before it was done: 1 queued task did not run")
                .contains("0 running tasks were interrupted, and one goes on, as it stops the application")
                .doesNotContain("Still draining")
                .doesNotContain("Stopped draining");
    }

    /** Its {@code main} is what the other JVM runs. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Ending implements ApplicationListener<ContextClosedEvent> {
        private static final CountDownLatch CLOSING = new CountDownLatch(1);

        /** Starts it. */
        public static void main(String[] arguments) {
            StripedExecutor executor = new SpringApplicationBuilder(Ending.class)
                    .web(WebApplicationType.NONE)
                    .properties("spring.lifecycle.timeout-per-shutdown-phase=60s", "ordered-executor.threads=2")
                    .run()
                    .getBean(StripedExecutor.class);
            CountDownLatch behind = new CountDownLatch(1);
            executor.execute("other", () -> {
                Journal.await(CLOSING);
                System.out.println("the other task has ended");
            });
            executor.execute("own", () -> {
                Journal.await(behind);
                System.exit(CODE);
            });
            executor.execute("own", () -> System.out.println("the task behind has run"));
            behind.countDown();
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            CLOSING.countDown();
        }
    }
}
