package com.example.consumer;

import io.orderedexecutor.StripedExecutor;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts, calls an ordered method, asks its own endpoint over HTTP, says what it has got, and ends. */
@SpringBootApplication
public class Consumer {
    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext application = SpringApplication.run(Consumer.class, args)) {
            Bookings bookings = application.getBean(Bookings.class);
            for (int i = 1; i < 1000; i++) {
                bookings.book("alice");
            }
            int booked = bookings.book("alice").get(10, TimeUnit.SECONDS);
            check(booked == 1000, "booked " + booked + " of 1000 orders");

            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:"
                                            + application.getEnvironment().getProperty("local.server.port")
                                            + "/actuator/orderedexecutors"))
                                    .timeout(Duration.ofSeconds(10))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            System.out.println("GET " + answer.uri().getPath() + " -> " + answer.statusCode() + " " + answer.body());
            check(answer.statusCode() == 200, "the endpoint does not answer");
            check(answer.body().contains("\"orders\":{\"type\":\"striped\",\"state\":\"running\""), "no "
                    + "executor 'orders'");
            check(answer.body().contains("\"completed\":1000"), "not 1000 completed tasks");
        }
        System.out.println("The consumer works: JDK " + Runtime.version().feature() + ", Spring Boot "
                + SpringBootVersion.getVersion() + ", " + origin());
    }

    private static String origin() {
        String jar = StripedExecutor.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.replaceAll("[/!]*$", "").replaceAll(".*/", "");
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
