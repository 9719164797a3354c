package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.test.TestThread;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class UnfinishedEventsTest {

    @Test
    void whatIsNotProcessedInTimeIsWrittenDown(CapturedOutput output) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(
                        SampleApplication.class, TestThread.class)
                .run("--server.port=0", "--spring.lifecycle.timeout-per-shutdown-phase=50ms");
        application.getBean(TestThread.class).hold();
        Transfers transfers = application.getBean(Transfers.class);
        CompletableFuture<?> transfer = transfers.transfer("alice", "bob", 5);
        CompletableFuture<?> total = transfers.total();
        application.close();
        assertThat(transfer).isCancelled();
        assertThat(total).isCancelled();
        assertThat(output)
                .contains("Not processed: transfer[alice, bob, 5]")
                .contains("Not processed: total[]")
                .contains(
                        "Ordered executor 'groupedExecutor' was stopped before it was done: 2 queued tasks did not run");
    }
}
