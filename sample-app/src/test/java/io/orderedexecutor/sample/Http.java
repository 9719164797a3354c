package io.orderedexecutor.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to the started application as any client does. */
final class Http {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.shared();

    private final int port;

    Http(int port) {
        this.port = port;
    }

    Answer get(String path) {
        return send(request(path).GET().build());
    }

    /** Posts one event. */
    Answer event(String path, String json) {
        return post(path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    /** Posts a bulk. */
    Answer bulk(String path, String lines) {
        return post(path, "application/x-ndjson", lines.getBytes(StandardCharsets.UTF_8));
    }

    Answer post(String path, String contentType, byte[] body) {
        return post(path, contentType, "*/*", body);
    }

    Answer post(String path, String contentType, String accept, byte[] body) {
        return send(request(path)
                .header("Content-Type", contentType)
                .header("Accept", accept)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }

    private static Answer send(HttpRequest request) {
        try {
            HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    JSON.readTree(response.body()),
                    response);
        } catch (IOException e) {
            throw new AssertionError("no answer to " + request, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for the answer to " + request, e);
        }
    }

    record Answer(int status, String contentType, JsonNode json, HttpResponse<String> response) {

        String text(String field) {
            return json.path(field).asString("");
        }

        long number(String field) {
            return json.path(field).asLong(-1);
        }
    }
}
