package io.orderedexecutor.sample.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The report whose rows are worked out in parallel and streamed in order. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "ordered-executor.ordered-output.orderedOutputExecutor.window=5")
class ReportTest {
    private static final int ROWS = 40;

    @TestConfiguration(proxyBeanMethods = false)
    static class Databases {
        @Bean
        @Primary
        Database heldDatabase() {
            return new Database();
        }
    }

    /** Counts the reports that have a thread, and those whose thread is done with them. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Ends implements WebMvcConfigurer {
        final AtomicLong begun = new AtomicLong();
        final AtomicLong ended = new AtomicLong();
        volatile long timeout;

        @Override
        public void configureAsyncSupport(AsyncSupportConfigurer async) {
            async.registerCallableInterceptors(new CallableProcessingInterceptor() {
                @Override
                public <T> void preProcess(NativeWebRequest request, Callable<T> report) {
                    HttpServletRequest servletRequest = request.getNativeRequest(HttpServletRequest.class);
                    timeout = requireNonNull(servletRequest).getAsyncContext().getTimeout();
                    begun.incrementAndGet();
                }

                @Override
                public <T> void postProcess(NativeWebRequest request, Callable<T> report, Object result) {
                    ended.incrementAndGet();
                }
            });
        }
    }

    /** Writes the slow row when it may. */
    static class Database extends SimulatedDatabase {
        volatile CountDownLatch mayWriteSlow = new CountDownLatch(0);

        @Override
        public void write(int amount) {
            try {
                if (amount == MAX_AMOUNT) {
                    mayWriteSlow.await();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            super.write(amount);
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();

    @LocalServerPort
    int port;

    @Autowired
    OrderedOutputExecutor executor;

    @Autowired
    Database database;

    @Autowired
    Ends ends;

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, ROWS - 1})
    void rowsComeInOrderWhicheverIsSlow(int slow) throws Exception {
        long before = executor.inspect().stats().completed();
        HttpResponse<String> report =
                client.send(request("/report?rows=" + ROWS + "&slow=" + slow), HttpResponse.BodyHandlers.ofString());
        assertThat(report.statusCode()).isEqualTo(200);
        assertThat(report.body().lines())
                .isEqualTo(
                        IntStream.range(0, ROWS).mapToObj(row -> "row " + row).toList());
        assertThat(executor.inspect().stats().completed() - before).isEqualTo(ROWS);
    }

    @Test
    void aRowIsSentWhileTheNextOneIsWorkedOut() throws Exception {
        database.mayWriteSlow = new CountDownLatch(1);
        HttpResponse<InputStream> answer =
                client.send(request("/report?rows=2&slow=1"), HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader rows =
                new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.US_ASCII))) {
            assertThat(rows.readLine()).isEqualTo("row 0");
            database.mayWriteSlow.countDown();
            assertThat(rows.readLine()).isEqualTo("row 1");
            assertThat(rows.readLine()).isNull();
        } finally {
            database.mayWriteSlow.countDown();
        }
    }

    @Test
    void theLongestReportHasTheTimeThatItTakes(
            @Value("${ordered-executor.ordered-output.orderedOutputExecutor.threads}") int threads) throws Exception {
        Duration oneRow = Duration.ofMillis(20);
        client.send(request("/report?rows=1"), HttpResponse.BodyHandlers.discarding());
        assertThat(Duration.ofMillis(ends.timeout))
                .isGreaterThan(oneRow.multipliedBy(10_000).dividedBy(threads));
    }

    @Test
    void slowReportsHoldUpNoEventAndThereIsRoomForSoManyOnly() throws Exception {
        database.mayWriteSlow = new CountDownLatch(1);
        long begun = ends.begun.get();
        List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                slow.add(client.sendAsync(request("/report?rows=1&slow=0"), HttpResponse.BodyHandlers.ofString()));
            }
            await().until(() -> ends.begun.get() >= begun + 8);
            Http http = new Http(port);
            http.events("/unordered/events", Http.deposit("rita", 1));
            assertThat(http.get("/unordered/clients/rita/events?wait=5s").number("processed"))
                    .isEqualTo(1);

            await().until(() -> ends.begun.get() == begun + 20);
            HttpResponse<String> refused = client.send(request("/report?rows=1"), HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        } finally {
            database.mayWriteSlow.countDown();
        }
        for (CompletableFuture<HttpResponse<String>> report : slow) {
            assertThat(report.get(30, TimeUnit.SECONDS).body()).isEqualTo("row 0\n");
        }
    }

    @Test
    void readerThatGoesAwayEndsTheWork() throws Exception {
        long ended = ends.ended.get();
        try (Socket browser = new Socket("localhost", port)) {
            browser.setSoLinger(true, 0); // its close is a reset
            browser.getOutputStream()
                    .write("GET /report?rows=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(browser.getInputStream().read()).isEqualTo('H');
        }
        // either a write fails, or Spring, told of the reset first, interrupts the thread that reads the rows; to work
        // out all rows takes at least 40 seconds
        await("the end of the report").atMost(Duration.ofSeconds(20)).until(() -> ends.ended.get() > ended);
        assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    void reportWithoutRowsIsRefused() throws Exception {
        HttpResponse<String> answer = client.send(request("/report?rows=0"), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("'rows' must be a whole number from 1 to 10000.");
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .build();
    }
}
