package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.fixtures.Journal;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A real web server with requests in it while the application ends: what they submit then still runs. */
@Timeout(120)
class GracefulShutdownTest {
    private static final int REQUESTS = 5;
    private static final int TASKS = 50;

    private final Journal journal = new Journal();

    @Test
    void whatRequestsSubmitDuringTheGracefulShutdownStillRuns() throws Exception {
        Gate gate = new Gate();
        ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .initializers(context -> {
                    context.getBeanFactory().registerSingleton("journal", journal);
                    context.getBeanFactory().registerSingleton("gate", gate);
                })
                .properties("server.port=0", "ordered-executor.threads=2")
                .run();
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            answers.add(client.sendAsync(request(port, "client" + i), BodyHandlers.ofString()));
        }
        assertThat(gate.inside.await(30, TimeUnit.SECONDS))
                .as("all requests are in")
                .isTrue();
        // not in the common pool, whose only thread it may be: what lets the tasks run later needs one
        CompletableFuture<Void> closed =
                CompletableFuture.runAsync(application::close, task -> new Thread(task, "close").start());
        assertThat(gate.stopping.await(30, TimeUnit.SECONDS))
                .as("the shutdown has begun")
                .isTrue();
        assertThatNoneIsAcceptedAnyMore(port);
        gate.open.countDown();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
        closed.get(30, TimeUnit.SECONDS);
        for (int i = 0; i < REQUESTS; i++) {
            journal.assertInOrder("client" + i, TASKS);
        }
    }

    /** So the shutdown really is under way: the server has closed its door. It does so at its own time. */
    private static void assertThatNoneIsAcceptedAnyMore(int port) {
        org.awaitility.Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
            IOException refused = null;
            try {
                new java.net.Socket("localhost", port).close();
            } catch (ConnectException e) {
                refused = e;
            }
            assertThat(refused).isNotNull();
        });
    }

    private static HttpRequest request(int port, String client) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/clients/" + client))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
    }

    static class Gate {
        final CountDownLatch inside = new CountDownLatch(REQUESTS);
        final CountDownLatch stopping = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);
        final CountDownLatch run = new CountDownLatch(1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Service.class, Controller.class})
    static class Application {

        /** Stops together with the web server. */
        @Bean
        SmartLifecycle withTheServer(Gate gate) {
            return new Witness(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, gate.stopping::countDown);
        }

        /** Stops after the web server, and lets no task run until a while later: so there is something to drain. */
        @Bean
        SmartLifecycle afterTheServer(Gate gate) {
            return new Witness(
                    ExecutorConfigurationSupport.DEFAULT_PHASE + 10,
                    () -> CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)
                            .execute(gate.run::countDown));
        }
    }

    static class Witness implements SmartLifecycle {
        private final int phase;
        private final Runnable onStop;
        private volatile boolean running;

        Witness(int phase, Runnable onStop) {
            this.phase = phase;
            this.onStop = onStop;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            onStop.run();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    static class Service {
        private final Journal journal;
        private final Gate gate;

        Service(Journal journal, Gate gate) {
            this.journal = journal;
            this.gate = gate;
        }

        @OrderedAsync(stripe = "#client")
        public void write(String client, int number) {
            Journal.await(gate.run);
            journal.write(client, number);
        }
    }

    @RestController
    static class Controller {
        private final Service service;
        private final Gate gate;

        Controller(Service service, Gate gate) {
            this.service = service;
            this.gate = gate;
        }

        @PostMapping("/clients/{client}")
        String post(@PathVariable String client) {
            gate.inside.countDown();
            Journal.await(gate.open);
            for (int i = 0; i < TASKS; i++) {
                service.write(client, i);
            }
            return client;
        }
    }
}
