package io.orderedexecutor.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with a server, and its actuator as a person with curl sees it. */
final class HttpEndpoint implements AutoCloseable {
    private final ConfigurableApplicationContext application;
    private final HttpClient client = HttpClient.newHttpClient();

    private HttpEndpoint(ConfigurableApplicationContext application) {
        this.application = application;
    }

    static HttpEndpoint start(Class<?> configuration, String... arguments) {
        return new HttpEndpoint(new SpringApplicationBuilder(Application.class, configuration)
                .properties(
                        "server.port=0",
                        "management.endpoints.web.exposure.include=*",
                        // what is parked or paused is not waited for at the end
                        "spring.lifecycle.timeout-per-shutdown-phase=100ms")
                .run(arguments));
    }

    <T> T bean(String name, Class<T> type) {
        return application.getBean(name, type);
    }

    /** Asks for what is at a path below {@code /actuator/}. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).build());
    }

    HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return URI.create("http://localhost:" + port + "/actuator/" + path);
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
