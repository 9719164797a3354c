package io.orderedexecutor.sample.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The page in a browser without a window, which counts its own frames. It is told what to do by the browser's DevTools
 * protocol, so that nothing is needed but the browser and the JDK.
 */
final class OpenPage implements AutoCloseable {
    static final Path BROWSER = Path.of("/usr/bin/chromium");

    private static final Pattern PORT = Pattern.compile("DevTools listening on ws://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern SOCKET =
            Pattern.compile("\"webSocketDebuggerUrl\": *\"(ws://[^\"]*/devtools/page/[^\"]*)\"");
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");

    /** The time between two frames, and what kept the page from drawing one for 50 ms or longer. */
    private static final String COUNT_FRAMES = """
            window.gaps = [];
            window.longTasks = [];
            let last = performance.now();
            requestAnimationFrame(function frame(now) {
              gaps.push(now - last);
              last = now;
              requestAnimationFrame(frame);
            });
            new PerformanceObserver(list => list.getEntries().forEach(task => longTasks.push(task.duration)))
              .observe({type: 'longtask'});
            """;

    private static final String REPORT = """
            gaps.shift();
            gaps.sort((a, b) => a - b);
            const at = (share) => Math.round(gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))]);
            const longest = Math.round(Math.max(0, ...longTasks));
            `${gaps.length} frames, between two: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms; ` +
            `long tasks (from 50 ms): ${longTasks.length}, longest ${longest} ms; ` +
            `violations of @OrderedAsync: ${document.getElementById('violations').value}`
            """;

    /** What the browser keeps while it runs. */
    private final Path profile = Files.createTempDirectory("open-page");

    private final Process browser;
    private final WebSocket page;
    private final Answers answers = new Answers();

    OpenPage(String url) throws IOException, InterruptedException {
        browser = new ProcessBuilder(
                        BROWSER.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--window-size=1200,900",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        try {
            String port = readPort(browser.inputReader(StandardCharsets.UTF_8));
            HttpClient http = HttpClient.newHttpClient();
            page = http.newWebSocketBuilder()
                    .buildAsync(URI.create(socket(http, port)), answers)
                    .join();
            ask("Page.enable", "", "");
            ask("Page.addScriptToEvaluateOnNewDocument", "source", COUNT_FRAMES);
            ask("Page.navigate", "url", url);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            endBrowser();
            throw failure;
        }
    }

    private static String readPort(BufferedReader log) throws IOException {
        StringBuilder read = new StringBuilder();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                new Thread(() -> log.lines().forEach(rest -> {}), "browser").start(); // or it would have to wait
                return port.group(1);
            }
            read.append(line).append('\n');
        }
        throw new IOException("The browser has ended: " + read);
    }

    private static String socket(HttpClient http, String port) throws IOException, InterruptedException {
        HttpRequest list = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                .build();
        String pages = http.send(list, HttpResponse.BodyHandlers.ofString()).body();
        Matcher socket = SOCKET.matcher(pages);
        if (!socket.find()) {
            throw new IOException("The browser has no page: " + pages);
        }
        return socket.group(1);
    }

    /** What the frames were like since the page was opened. */
    String report() {
        String answer = ask("Runtime.evaluate", "expression", REPORT);
        Matcher value = VALUE.matcher(answer);
        if (!value.find()) {
            throw new IllegalStateException("The page has answered: " + answer);
        }
        return value.group(1);
    }

    private String ask(String method, String parameter, String value) {
        CompletableFuture<String> answer = answers.next();
        String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        page.sendText(
                "{\"id\":1,\"method\":\"%s\",\"params\":{\"%s\":\"%s\"}}".formatted(method, parameter, escaped), true);
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** One answer at a time: the page is asked nothing while it has not answered. */
    private static final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private volatile CompletableFuture<String> answer = new CompletableFuture<>();

        CompletableFuture<String> next() {
            answer = new CompletableFuture<>();
            return answer;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                if (text.indexOf("{\"id\":") == 0) { // else it is an event
                    answer.complete(text.toString());
                }
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        page.abort();
        endBrowser();
    }

    /** Its profile can be deleted when it has ended, and writes nothing more there. */
    private void endBrowser() throws IOException {
        browser.destroy();
        browser.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        List<Path> files;
        try (Stream<Path> found = Files.walk(profile)) {
            files = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
