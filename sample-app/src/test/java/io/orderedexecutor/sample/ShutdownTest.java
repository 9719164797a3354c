package io.orderedexecutor.sample;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.sample.accounts.Bank;
import io.orderedexecutor.sample.accounts.Statement;
import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** What closing the application, as SIGTERM does, leaves undone: nothing that was accepted, and no open request. */
class ShutdownTest {
    /** The common pool may be one thread, which would have to do several things at a time. */
    private static final Executor THREAD_OF_ITS_OWN = task -> new Thread(task).start();

    private ConfigurableApplicationContext application;
    private HeldDatabase database;
    private Http http;
    private int port;

    /** The paths of requests that were received and are answered later. */
    @TestConfiguration(proxyBeanMethods = false)
    static class OpenRequests implements WebMvcConfigurer, AsyncHandlerInterceptor {
        final Queue<String> paths = new ConcurrentLinkedQueue<>();

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(this);
        }

        @Override
        public void afterConcurrentHandlingStarted(
                HttpServletRequest request, HttpServletResponse response, Object handler) {
            paths.add(request.getRequestURI());
        }
    }

    private void start(String timeout) {
        application = new SpringApplicationBuilder(
                        SampleApplication.class, SampleTest.Fixtures.class, OpenRequests.class)
                .run("--server.port=0", "--spring.lifecycle.timeout-per-shutdown-phase=" + timeout);
        database = application.getBean(HeldDatabase.class);
        port = Integer.parseInt(application.getEnvironment().getRequiredProperty("local.server.port"));
        http = new Http(port);
        database.hold();
    }

    @AfterEach
    void end() {
        database.letGo();
        application.close();
    }

    private CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close, THREAD_OF_ITS_OWN);
        ApplicationAvailability availability = application.getBean(ApplicationAvailability.class);
        await().until(() -> availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC);
        return closed;
    }

    private static Statement statement(Bank bank) {
        return bank.statement("jan", Duration.ZERO).orElseThrow().join();
    }

    @Test
    void pendingEventsAreProcessedBeforeTheApplicationEnds() throws Exception {
        start("30s");
        Bank ordered = application.getBean("orderedBank", Bank.class);
        Bank unordered = application.getBean("unorderedBank", Bank.class);
        String lines = deposit("jan", HeldDatabase.HELD) + deposit("jan", 1).repeat(10);
        http.events("/events", lines);
        http.events("/unordered/events", lines);
        assertThat(statement(ordered).pending()).isEqualTo(11);

        CompletableFuture<Void> closed = close();
        database.letGo();
        closed.get(30, TimeUnit.SECONDS);

        assertThat(statement(ordered).processed()).isEqualTo(11);
        assertThat(statement(ordered).balance()).isEqualTo(1010);
        assertThat(statement(unordered).processed()).isEqualTo(11);
        assertThat(statement(unordered).balance()).isEqualTo(1010);
    }

    @Test
    void openRequestsAreAnsweredBeforeTheApplicationEnds() throws Exception {
        start("30s");
        http.events("/events", deposit("jan", HeldDatabase.HELD) + deposit("jan", 1));
        CompletableFuture<Http.Answer> statement =
                CompletableFuture.supplyAsync(() -> http.finalStatement("jan"), THREAD_OF_ITS_OWN);
        CompletableFuture<Http.Answer> transfer = CompletableFuture.supplyAsync(
                () -> http.post(
                        "/transfers",
                        "application/x-www-form-urlencoded",
                        ("from=alice&to=bob&amount=" + HeldDatabase.HELD).getBytes(UTF_8)),
                THREAD_OF_ITS_OWN);
        await().until(() -> database.begun().stream()
                        .filter(amount -> amount == HeldDatabase.HELD)
                        .count()
                == 2);
        await().until(() -> application.getBean(OpenRequests.class).paths.contains("/clients/jan/events"));

        CompletableFuture<Void> closed = close();
        assertThat(statement).isNotDone();
        assertThat(transfer).isNotDone();
        database.letGo();

        assertThat(statement.get(30, TimeUnit.SECONDS).number("processed")).isEqualTo(2);
        assertThat(transfer.get(30, TimeUnit.SECONDS).text("result")).isEqualTo("booked");
        closed.get(30, TimeUnit.SECONDS);
    }

    @Test
    void senderThatGoesOnWhileTheApplicationEndsIsToldFromWhichEventToSendAgain() throws Exception {
        start("30s");
        Bank bank = application.getBean("orderedBank", Bank.class);
        CompletableFuture<Void> closed;
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(30_000);
            String lines = deposit("jan", 1).repeat(2);
            String head = String.join(
                    "\r\n",
                    "POST /events HTTP/1.1",
                    "Host: localhost",
                    "Connection: close",
                    "Content-Type: application/x-ndjson",
                    "Content-Length: 100000",
                    "\r\n");
            socket.getOutputStream().write((head + lines).getBytes(UTF_8));
            await().ignoreExceptions().until(() -> statement(bank).processed() == 2);

            closed = close();
            socket.getOutputStream().write(deposit("jan", 1).getBytes(UTF_8));

            byte[] answer = new byte[4096];
            int length = socket.getInputStream().readNBytes(answer, 0, 500);
            assertThat(new String(answer, 0, length, UTF_8))
                    .startsWith("HTTP/1.1 503 ")
                    .contains("The application is shutting down. No event from number 3 on was accepted");
        }
        closed.get(30, TimeUnit.SECONDS);
        assertThat(statement(bank).processed()).isEqualTo(2);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eventsThatAreNotProcessedInTimeAreReportedInOneLine(CapturedOutput output) throws Exception {
        start("50ms");
        http.events(
                "/events", deposit("jan", HeldDatabase.HELD) + deposit("jan", 1).repeat(10));
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        Bank bank = application.getBean("orderedBank", Bank.class);
        StripedExecutor executor = application.getBean(StripedExecutor.class);

        application.close();

        assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(output.getOut().lines().filter(line -> line.contains("Not processed")))
                .singleElement()
                .asString()
                .endsWith("Not processed: 10 calls of 'bookInOrder'");
        assertThat(statement(bank).pending()).isZero();
        assertThat(statement(bank).events()).isEmpty();
    }
}
